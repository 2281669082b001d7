// What every operation on tasks works with: the room, its ledger, its writer and its settings.
import type { AgentConfig } from '../core/config/agent-config.ts';
import type { RoomConfig } from '../core/config/room-config.ts';
import type { MirrorServices } from '../core/context/context.ts';
import type { EventBus } from '../core/events.ts';
import { newTag, type TaskId, type TurnId } from '../core/ids.ts';
import type { Effects } from '../effects.ts';
import type { Ledger } from '../store/ledger/ledger.ts';
import type { Room } from '../store/room.ts';
import type { Writer } from '../store/write/writer.ts';

/**
 * Who asks for an operation. Agents may not reopen (S4); a turn's writes are told apart by its id. `request`, unique in
 * the room, is one asking of an agent: asked again, because nobody knows whether it was carried out, it changes nothing
 * that it changed already. `partOf` is the asking that a further write belongs to.
 */
export type Actor =
  /** `until`: when the token of the one who asks ends, epoch ms; `command`: the same for calls that are one command. */
  | { kind: 'person'; until?: number; command?: string }
  | { kind: 'agent'; agent: string; turn: TurnId; request?: string; partOf?: string }
  /** The person's own assistant: an agent outside of any turn, for which every task of the room is its own. */
  | { kind: 'assistant'; client: string; request?: string; partOf?: string }
  | { kind: 'runtime'; turn?: TurnId };

/** Whoever acts by a model's word: what only the person may do is refused to them. */
export type AgentActor = Extract<Actor, { kind: 'agent' | 'assistant' }>;

export function isAgent(actor: Actor): actor is AgentActor {
  return actor.kind === 'agent' || actor.kind === 'assistant';
}

/** `agent codex`, `assistant claude-code`: how a refusal names it. */
export function titleOfAgent(actor: AgentActor): string {
  return actor.kind === 'agent' ? `agent ${actor.agent}` : `assistant ${actor.client}`;
}

/** Who made a request, as a key of the room; null for who has no turn. */
export function turnOfActor(actor: Actor): TurnId | null {
  return actor.kind === 'agent' || actor.kind === 'runtime' ? (actor.turn ?? null) : null;
}

export interface TaskRoom {
  readonly room: Room;
  readonly ledger: Ledger;
  readonly writer: Writer;
  readonly effects: Effects;
  readonly events: EventBus;
  /** The settings in force; the last good ones after a bad reload. */
  config(): RoomConfig;
  /** What reaches the tracker of a mirrored task; null for a task without a mirror. Asks nobody (T11). */
  mirrorServices?(task: TaskId): MirrorServices | null;
  agents(): ReadonlyMap<string, AgentConfig>;
}

/** The key under which what an actor asks for is carried out once; none for who asks anew each time. */
export function requestOf(actor: Actor): { key?: string } {
  return isAgent(actor) && actor.request !== undefined ? { key: actor.request } : {};
}

/** `person`, `runtime` or `agent:<id>`: how an actor is named in files and the ledger. */
/** What a person does by it is taken back at once. */
export function asOneCommand(actor: Actor, { randomBytes }: Pick<Effects, 'randomBytes'>): Actor {
  if (actor.kind !== 'person' || actor.command !== undefined) return actor;
  return { ...actor, command: newTag(randomBytes) };
}

export const commandOf = (actor: Actor) => (actor.kind === 'person' && actor.command) || null;

export function nameOfActor(actor: Actor): string {
  if (!isAgent(actor)) return actor.kind;
  return `agent:${actor.kind === 'agent' ? actor.agent : actor.client}`;
}

/**
 * `owner` is the person, `agent:<id>` an agent, `taskroom` the runtime. The prefix has to stay: the prompt trusts a
 * text by this name (see trustOfName in core/context/prompt.ts), and an agent may well be called `owner`.
 */
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
export function callOf(actor: Actor): string | null {
  return isAgent(actor) ? (actor.request ?? actor.partOf ?? null) : null;
}

/** A key is a turn's own, or an assistant's: none can stand in the way of another's entry. */
export function ownKey(actor: Actor, key: string | undefined): string | undefined {
  if (key === undefined || !isAgent(actor)) return key;
  return `${actor.kind === 'agent' ? actor.turn : nameOfActor(actor)}:${key}`;
}
