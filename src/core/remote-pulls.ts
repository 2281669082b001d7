// What of a task system's contract is about pull requests and sessions, and the words that it shares with the rest (provider.ts).
import type { PullRequest } from './review-shapes.ts';

/** Names an issue inside its provider as people write it: `acme/web#12`, `ENG-42`, a Taskwarrior UUID. The whole
 * reference is `task:<provider>:<ref>`. */
export type RemoteRef = string;

/** Whose words they are: name, role and `mine` as in REMOTE_COMMENT. */
export type Author = { author: string; role: string | null; mine: boolean };

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
  /** With `commit` as its last, in the first way that the repository allows. @throws RoomError `refused` */
  merge(number: number, commit: string, signal: AbortSignal): Promise<void>;
  /** What a check printed up to its failure, its last lines; '' where nobody can tell. */
  readLog(check: RemoteCheck, signal: AbortSignal): Promise<string>;
  /** Answers in the thread that this comment began, once for each key. @throws RoomError `gone`, `refused` */
  reply(number: number, thread: string, body: string, attempt: Attempt, signal: AbortSignal): Promise<void>;
}

/** What is said in a session, as the tracker tells its kinds apart. */
export interface SessionActivity {
  type: 'thought' | 'action' | 'elicitation' | 'response' | 'error';
  body: string;
}

export interface SessionPrompt extends Author {
  id: string;
  body: string;
  /** Server clock, epoch ms. */
  at: number;
  /** The comment that shows the same words on the issue; null where none does. */
  comment: string | null;
  /** Asks for the work to stop at once. */
  stops: boolean;
}

/** Where a tracker shows the work on one issue to whoever asked for it. */
export interface RemoteSession {
  id: string;
  /** As RemoteTask.uid, of its issue. */
  issue: string;
  /** Who asked for the work; null where no person did. */
  by: Author | null;
  createdAt: number;
  ended: boolean;
  /** What people said in it, oldest first. */
  prompts: readonly SessionPrompt[];
}

/** What a session shows beside what was said. */
export interface SessionView {
  plan: readonly { content: string; status: 'pending' | 'inProgress' | 'completed' | 'canceled' }[];
  links: readonly { label: string; url: string }[];
}

export interface Sessions {
  /** Those of these credentials that changed since then (server clock, epoch ms), oldest first. */
  list(since: number, signal: AbortSignal): Promise<readonly RemoteSession[]>;
  /** Says something, once for each key. @throws RoomError `gone` when the session is not there any more */
  say(
    session: string,
    activity: SessionActivity,
    attempt: Attempt,
    signal: AbortSignal,
  ): Promise<{ id: string; createdAt: number }>;
  /** Puts it in the place of what the session showed before. */
  show(session: string, view: SessionView, signal: AbortSignal): Promise<void>;
}

/** What a person wants of a task's pull request: that it is opened as a draft, or the open one merged. */
export type PullWish = { draft?: boolean; merge?: boolean };

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

/** What a tracker says of it, in the words that the room shows. */
export interface RemotePull
  extends Pick<PullRequest, 'ref' | 'url' | 'state' | 'draft' | 'mergeable' | 'branch' | 'commit'> {
  number: number;
  /** Survives a rename of the repository. */
  uid: string;
}

/** What people and programs say of a pull request. Times are of the server's clock, epoch ms. */
export interface PullNews {
  /** Reviews, then comments on lines; without our own answers. */
  words: readonly RemoteWords[];
  /** Of its last commit; none where the credentials may not see them. */
  checks: readonly RemoteCheck[];
}

export interface RemoteWords
  extends Author,
    Pick<PullRequest['reviews'][number], 'verdict' | 'text' | 'url'> {
  /** `review:12`, `remark:34` */
  key: string;
  at: number;
  /** Of a comment on a line: where it stands, the diff that it is about, the comment that its thread began with. */
  line: { place: string; hunk: string; thread: string } | null;
}

export interface RemoteCheck extends Pick<PullRequest['checks'][number], 'name' | 'state' | 'url'> {
  id: string;
  /** What it says itself, or ''. */
  summary: string;
  /** Whether the tracker keeps what it printed. */
  hasLog: boolean;
}

/** Its checks taken together; null where there are none. */
function checksOf({ checks }: PullRequest): PullRequest['checks'][number]['state'] | null {
  const states = checks.map(({ state }) => state);
  return (['failed', 'pending', 'passed'] as const).find((state) => states.includes(state)) ?? null;
}

/** Nothing stands in its way but that nobody reviewed it. */
export function awaitsReview(pull: PullRequest): boolean {
  const { state, draft, verdict, mergeable } = pull;
  const isGreen = [null, 'passed'].includes(checksOf(pull));
  return state === 'open' && !draft && verdict === 'none' && mergeable !== false && isGreen;
}

const CHECKS = { failed: 'a check failed', pending: 'checks run', passed: 'checks passed' };

export function pullWords(pull: PullRequest): string[] {
  const { state, draft, verdict, mergeable, trouble } = pull;
  const checks = checksOf(pull);
  if (state !== 'open') return [state];
  return [
    draft ? 'draft' : 'open',
    ...(verdict === 'none' ? [] : [verdict.replace('_', ' ')]),
    ...(checks === null ? [] : [CHECKS[checks]]),
    ...(mergeable === false ? ['has conflicts'] : []),
    ...(trouble === null ? [] : [`not looked at since: ${trouble}`]),
  ];
}
