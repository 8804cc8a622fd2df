package testigo

// ReceiptStage is the sender's word for where a handoff is, the same for every host.
type ReceiptStage string

// The stages of a receipt, in the order of a life. Offered is never shown as seen.
const (
	StageStored    ReceiptStage = "stored"
	StageOffered   ReceiptStage = "offered"
	StageAccepted  ReceiptStage = "accepted"
	StageRunning   ReceiptStage = "running"
	StageTurnEnded ReceiptStage = "turn ended"
	StageReturned  ReceiptStage = "returned"
	StageClosed    ReceiptStage = "closed"
	StageBounced   ReceiptStage = "bounced"
)
