package redact

import (
	"path"
	"strings"
)

// ignoredNames are globs of file names, in lower case, whose content is a secret or may as well be one.
var ignoredNames = [...]string{
	".env", ".env.*", "*.env", ".envrc", ".envrc.*",
	"*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.ppk", "*.p8", "*.kdbx", "*.age",
	"id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", "*_rsa", "*_ed25519",
	".netrc", "_netrc", ".pgpass", "pgpass.conf", ".my.cnf", ".npmrc", ".pypirc", ".htpasswd", ".git-credentials",
	".dockercfg", ".vault-token", ".terraformrc", "kubeconfig", "*.kubeconfig",
	"credentials", "credentials.json", "credentials.toml", "application_default_credentials.json",
	"client_secret*.json", "service-account*.json", "service_account*.json",
	"secret.y*ml", "secrets.y*ml", "secrets.json", "secrets.toml", "*.tfvars", "*.tfvars.json", "*.tfstate", "*.tfstate.*",
}

// ignoredPaths are globs of the last two parts of a path, where the name alone says too little.
var ignoredPaths = [...]string{
	".ssh/*", ".gnupg/*", ".aws/*", ".kube/config", ".docker/config.json", "private-keys-v1.d/*",
}

// IgnoredFile reports whether the file at path is of a kind whose content is never taken in, whatever it holds:
// `.env` files, private keys, key stores, credential files of known programs. It goes by the name alone, in any case
// and with either slash, and does not look at the disk.
func IgnoredFile(file string) bool {
	clean := path.Clean(strings.ToLower(strings.ReplaceAll(file, `\`, "/")))
	dir, name := path.Split(clean)
	for _, glob := range ignoredNames {
		if ok, _ := path.Match(glob, name); ok {
			return true
		}
	}
	last := path.Base(path.Clean(dir)) + "/" + name
	for _, glob := range ignoredPaths {
		if ok, _ := path.Match(glob, last); ok {
			return true
		}
	}
	return false
}
