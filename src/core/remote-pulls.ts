// What of a task system's contract is about pull requests, and the words that it shares with the rest (provider.ts).

/**
 * Names an issue inside its provider as people write it: `acme/web#12`, `ENG-42`, a Taskwarrior UUID. The whole
 * reference is `task:<provider>:<ref>`.
 */
export type RemoteRef = string;

/** Whose words they are: name, role and `mine` as in REMOTE_COMMENT. */
export interface Author {
  author: string;
  role: string | null;
  mine: boolean;
}

/** How often this intent was tried before: above 0 the provider looks for the earlier try's result first. */
export interface Attempt {
  /** Idempotency key, `[0-9a-z]{8,40}`, made by the engine, the same on every try. */
  key: string;
  tries: number;
}

/** The pull requests of a source. */
export interface PullRequests {
  /** The one of this branch: one that is open, else one that ended at this commit. Null for none, of whomever it is. */
  find(branch: string, commit: string, signal: AbortSignal): Promise<RemotePull | null>;
  /** Writes nothing. @throws RoomError `refused` when these credentials may open none */
  assertMayOpen(signal: AbortSignal): Promise<void>;
  /** From a branch that is there already. @throws RoomError `bad_input` when the tracker takes none from it */
  open(draft: PullRequestDraft, signal: AbortSignal): Promise<RemotePull>;
  /** @throws RoomError `gone` */
  read(number: number, signal: AbortSignal): Promise<RemotePull & PullNews>;
  /** What a check printed up to its failure, its last lines; '' where nobody can tell. */
  readLog(check: RemoteCheck, signal: AbortSignal): Promise<string>;
  /** Answers in the thread that this comment began, once for each key. @throws RoomError `gone`, `refused` */
  reply(number: number, thread: string, body: string, attempt: Attempt, signal: AbortSignal): Promise<void>;
}

export interface PullRequestDraft {
  /** Branch in the source's own repository. */
  head: string;
  /** Branch that it is to be merged into; the repository's default when null. */
  base: string | null;
  title: string;
  body: string;
  draft: boolean;
  /** The issue that is over once it is merged. */
  closes: RemoteRef | null;
}

export interface RemotePull {
  /** `acme/web#12` */
  ref: RemoteRef;
  number: number;
  /** Survives a rename of the repository. */
  uid: string;
  url: string;
  state: 'open' | 'merged' | 'closed';
  draft: boolean;
  /** Null while the tracker does not say. */
  mergeable: boolean | null;
  branch: string;
  /** The last commit that it has. */
  commit: string;
}

/** What people and programs say of a pull request. Times are of the server's clock, epoch ms. */
export interface PullNews {
  reviews: readonly RemoteReview[];
  remarks: readonly RemoteRemark[];
  /** Of its last commit; null where the credentials may not see them. */
  checks: readonly RemoteCheck[] | null;
}

export interface RemoteReview extends Author {
  id: string;
  verdict: 'approved' | 'changes_requested' | 'commented' | 'dismissed';
  body: string;
  at: number;
  url: string | null;
}

/** A comment on a line. */
export interface RemoteRemark extends Author {
  id: string;
  /** Id of the comment that its thread began with. */
  thread: string;
  /** The idempotency key a marker in it claims; see REMOTE_COMMENT. */
  key: string | null;
  path: string;
  /** Null where the line is not there any more. */
  line: number | null;
  /** The diff that it is about. */
  hunk: string;
  body: string;
  at: number;
  url: string | null;
}

export interface RemoteCheck {
  id: string;
  name: string;
  state: 'pending' | 'passed' | 'failed';
  url: string | null;
  /** What it says itself, or ''. */
  summary: string;
  /** Whether the tracker keeps what it printed. */
  hasLog: boolean;
}
