// What every operation on tasks works with: the room, its ledger, writer and settings; who asks; and what the runtime hands in: whether a
// daemon observes, how to wake it, how to end its orphans, the mirrors and reviews.
import type {
  LinkedJson,
  MirrorJson,
  SettlementJson,
  SettleWish,
  SyncProgress,
  SyncReportJson,
} from '../core/chore-shapes.ts';
import type { AgentConfig } from '../core/config/agent-config.ts';
import type { MirrorServices } from '../core/context/context.ts';
import type { Problem } from '../core/errors.ts';
import { newTag, type TaskId, type TurnId } from '../core/ids.ts';
import type { PullWish } from '../core/remote-pulls.ts';
import type { Discarded, Merged, Opened, TaskDiff } from '../core/review-shapes.ts';
import type { TurnReason } from '../core/rules/turn.ts';
import type { ListedTask, ListRow } from '../core/task/listed-task.ts';
import type { InvalidFile } from '../core/task/task.ts';
import type { Effects } from '../effects.ts';
import type { RoomParts } from '../store/ledger/ledger.ts';
import type { JobRecord } from '../store/ledger/turns/jobs.ts';
import type { TurnRecord } from '../store/ledger/turns/turns.ts';
import type { LockHolder } from '../store/lock/locks.ts';
import type { Writer } from '../store/write/writer.ts';

/** Who asks for an operation. Agents may not reopen (S4); a turn's writes are told apart by its id. `request`, unique in
 * the room, is one asking of an agent: asked again, because nobody knows whether it was carried out, it changes nothing
 * that it changed already. `partOf` is the asking that a further write belongs to. */
export type Actor =
  /** `until`: when the token of the one who asks ends, epoch ms; `command`: the same for calls that are one command. */
  | { kind: 'person'; until?: number; command?: string }
  | { kind: 'agent'; agent: string; turn: TurnId; request?: string; partOf?: string }
  /** The person's own assistant: an agent outside of any turn, for which every task of the room is its own. */
  | { kind: 'assistant'; client: string; request?: string; partOf?: string }
  | { kind: 'runtime'; turn?: TurnId };

/** Whoever acts by a model's word: what only the person may do is refused to them. */
export type AgentActor = Extract<Actor, { kind: 'agent' | 'assistant' }>;

export const isAgent = (actor: Actor): actor is AgentActor =>
  actor.kind === 'agent' || actor.kind === 'assistant';

/** `agent codex`, `assistant claude-code`: how a refusal names it. */
export const titleOfAgent = (actor: AgentActor): string =>
  actor.kind === 'agent' ? `agent ${actor.agent}` : `assistant ${actor.client}`;

/** Who made a request, as a key of the room; null for who has no turn. */
export const turnOfActor = (actor: Actor): TurnId | null =>
  actor.kind === 'agent' || actor.kind === 'runtime' ? (actor.turn ?? null) : null;

export interface TaskRoom extends RoomParts {
  readonly writer: Writer;
  /** What reaches the tracker of a mirrored task; null for a task without a mirror. Asks nobody (T11). */
  mirrorServices?(task: TaskId): MirrorServices | null;
  agents(): ReadonlyMap<string, AgentConfig>;
}

/** The key under which what an actor asks for is carried out once; none for who asks anew each time. */
export const requestOf = (actor: Actor): { key?: string } =>
  isAgent(actor) && actor.request !== undefined ? { key: actor.request } : {};

/** What a person does by it is taken back at once. */
export function asOneCommand(actor: Actor, { randomBytes }: Pick<Effects, 'randomBytes'>): Actor {
  if (actor.kind !== 'person' || actor.command !== undefined) return actor;
  return { ...actor, command: newTag(randomBytes) };
}

export const commandOf = (actor: Actor) => (actor.kind === 'person' && actor.command) || null;

/** `person`, `runtime` or `agent:<id>`: how an actor is named in files and the ledger. */
export function nameOfActor(actor: Actor): string {
  if (!isAgent(actor)) return actor.kind;
  return `agent:${actor.kind === 'agent' ? actor.agent : actor.client}`;
}

/** The agent or client of such a name; null where it is of neither. */
export const agentOfName = (name: string): string | null =>
  name.startsWith('agent:') ? name.slice('agent:'.length) : null;

/** `owner` is the person, `agent:<id>` an agent, `taskroom` the runtime. The prefix has to stay: the prompt trusts a
 * text by this name (see trustOfName in core/context/prompt.ts), and an agent may well be called `owner`. */
export function signatureOf(actor: Actor): string {
  if (isAgent(actor)) return nameOfActor(actor);
  return actor.kind === 'person' ? 'owner' : 'taskroom';
}

/** The same caller without the key of its asking, which can be that of one write alone. */
export function withoutRequest(actor: Actor): Actor {
  if (!isAgent(actor)) return actor;
  const { request, ...rest } = actor;
  return request === undefined ? rest : { ...rest, partOf: request };
}

/** The call of an agent that something follows from; null where no agent asked. */
export const callOf = (actor: Actor): string | null =>
  isAgent(actor) ? (actor.request ?? actor.partOf ?? null) : null;

/** A key is a turn's own, or an assistant's: none can stand in the way of another's entry. */
export function ownKey(actor: Actor, key: string | undefined): string | undefined {
  if (key === undefined || !isAgent(actor)) return key;
  return `${actor.kind === 'agent' ? actor.turn : nameOfActor(actor)}:${key}`;
}

/** The agents of a room, as far as who waits for one needs them. */
export interface AgentFacts {
  defaultAgent: string;
  agents: ReadonlyMap<string, string | null>; // By id: what keeps it from running, null for nothing.
  runbooks: readonly string[]; // Those that run the blocks of a task alone, and read no prose.
}

/** Who holds the room, what is wrong with its settings, and outside as the daemon that runs last noted it. */
export interface RoomStanding {
  holder: LockHolder | null;
  problems: readonly Problem[];
  trouble: { message: string; hint: string | null }[];
}

/** The tasks of a room as lists have them, for a process that stays open. */
export interface KeptIndex {
  readonly rows: readonly ListRow[];
  readonly files: {
    readonly known: ReadonlyMap<string, { readonly task: ListedTask | null }>;
    invalid(): InvalidFile[];
    odd(): InvalidFile[]; // Readable files with keys that look mistyped.
  };
  /** Takes in what changed in files and ledger. @throws RoomError `room_gone`, `io` */
  look(): Promise<void>;
  /** What changed since that version; everything for a version of another index. `order`: all paths, where their order changed. */
  since(version: string): { version: string; rows: ListRow[]; order: string[] | null };
}

/** Handed in by the runtime, so that this layer knows neither locks of daemons nor processes. */
export interface OperationPorts {
  daemonRuns(): boolean; // A daemon holds the room: it observes what is written, nobody else does.
  isGuest?(): boolean;
  index?(): KeptIndex | null; // The index of the room, where this process keeps one.
  /** The agents of the room and whether they can run: as the daemon found it, else as it is here. */
  agentFacts?(): Promise<AgentFacts>;
  /** Coding agents of this machine that are signed in, by preset, the preferred first. */
  codingAgents?(): Promise<readonly string[]>;
  standing?(): RoomStanding;
  ring(): void; // Makes the daemon look at the ledger. Harmless when none runs.
  takeInArtifacts?(deps: RoomHandle): Promise<void>;
  /** Ends a turn whose daemon died, records that, and resolves when nothing of it is alive. */
  killOrphan(turn: TurnRecord, reason: TurnReason): Promise<void>;
  /** Ends a job whose daemon died, as its `stop` says, and records that. */
  endJob?(job: JobRecord): Promise<void>;
  /** Every check of the room, in the order of reading; runs the agents' own programs. @throws RoomError */
  examine?(): Promise<Finding[]>;
  /** What arrives as webhooks, and what is missing. @throws RoomError `io` */
  examineWebhooks?(): Promise<WebhookExam>;
  review?(): Promise<ReviewPort>; // A person's review of what tasks did in their workspaces.
  /** The mirrors, with chores and providers as the files say now. @throws RoomError `io` */
  mirrors?(): Promise<MirrorPort>;
}

export type RoomHandle = TaskRoom & { readonly ports: OperationPorts };

// What operations ask of the mirrors of a room. References are an id, a unique prefix of one, or a file name.

type SyncWish = Record<'pull' | 'push' | 'full' | 'dryRun' | 'force' | 'sameRoom' | 'newRoom', boolean> & {
  onProgress?(progress: SyncProgress): void;
};

export interface MirrorPort {
  sources(): string[]; // Chores that mirror something and are not paused, in alphabetical order.
  /** @throws RoomError `not_found`; what goes wrong on the way is in the report */
  sync(chore: string, wish: SyncWish, signal: AbortSignal): Promise<SyncReportJson>;
  list(): MirrorJson[];
  /** What this process lacks to reach the chore's tracker, as in "a GitHub token"; null for nothing. @throws RoomError as providers do */
  lacks(chore: string): Promise<string | null>;
  /** @throws RoomError `not_found`, `conflict` when it changed meanwhile or was settled otherwise, `bad_input`, `refused` */
  settle(ref: string, wish: SettleWish): Promise<SettlementJson>;
  /** @throws RoomError `not_found`, `conflict`, `bad_input`, and as providers throw */
  link(ref: string, url: string, chore?: string): Promise<LinkedJson>;
  /** @throws RoomError `not_found` */
  unlink(ref: string): Promise<LinkedJson>;
  /** @throws RoomError `not_found`, `conflict`, `refused`, and as providers throw */
  publish(ref: string, chore: string): Promise<LinkedJson>;
  /** Opens the task's pull request, says where it is, or merges it. @throws RoomError `not_found`, `refused`, and as providers throw */
  openPull(task: TaskId, wish: PullWish): Promise<Opened>;
}

export interface ReviewPort {
  /** @param stat without hunks @throws RoomError `refused` */
  diff(task: TaskId, stat: boolean): Promise<TaskDiff>;
  /** @param name of the task @throws RoomError `not_found`, `refused`, `conflict` */
  merge(task: TaskId, name: string): Promise<Merged>;
  /** @throws RoomError `not_found`, `refused` */
  discard(task: TaskId): Promise<Discarded>;
}

export interface Finding {
  name: string; // What was looked at, one word.
  state: 'ok' | 'warn' | 'fail';
  text: string;
  hint: string | null; // How to mend it; null when there is nothing to mend.
}

export interface WebhookExam {
  healthy: boolean;
  address: string | null; // Where they are heard now; null for nowhere.
  checks: (Omit<Finding, 'name'> & { about: string })[];
  /** All that came in so far, by event or by why it was refused. */
  deliveries: { provider: string; chore: string | null; what: string; count: number; at: string }[];
}
