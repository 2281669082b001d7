// Tokens of the API: the person's own in `.taskroom/token`, those given to programs, sessions of browsers. Only hashes are kept.
import { hash } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RoomError } from '../../core/errors.ts';
import { newTag } from '../../core/ids.ts';
import { isoOrNull } from '../../core/time/durations.ts';
import type { TokenRow } from '../../store/ledger/meta.ts';
import { onDisk, secureOwnFolder } from '../../store/room.ts';
import type { TokenJson } from '../shapes/turn.ts';
import type { Actor, RoomHandle, TaskRoom } from '../task-room.ts';
import { showTask } from '../views/task-detail.ts';

export type ApiToken = TokenRow;
type NewToken = Pick<TokenRow, 'name' | 'access' | 'tasks' | 'agents' | 'expiresAt'>;
type TokenWish = Pick<NewToken, 'name' | 'access'> & {
  tasks?: string[];
  agents?: string[];
  expires_at?: string;
};

const TOKEN_FILE = 'token';
const TOKEN_BYTES = 32;
const PREFIX = 'tskr_'; // Scanners for secrets know our tokens by it.
const SESSION_MS = 30 * 24 * 3600_000;
const NOTED_EVERY_MS = 60_000; // Its last use is noted this often at most: a read is to write nothing.
const NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,39}$/;

export function createApiTokens(deps: Pick<TaskRoom, 'room' | 'ledger' | 'effects'>) {
  const { room, ledger, effects } = deps;
  const tokens = ledger.tokens;
  const path = join(room.ownDir, TOKEN_FILE);
  const isGood = ({ expiresAt }: ApiToken) => expiresAt === null || expiresAt > effects.now();
  const add = (token: string, row: Omit<ApiToken, 'id' | 'createdAt' | 'usedAt'>): ApiToken => {
    const made = { ...row, id: newTag(effects.randomBytes), createdAt: effects.now() };
    tokens.deleteAll('WHERE expires_at < ?', effects.now());
    tokens.insert({ ...made, hash: hashOf(token) });
    return { ...made, usedAt: null };
  };
  const fresh = () => PREFIX + Buffer.from(effects.randomBytes(TOKEN_BYTES)).toString('base64url');
  return {
    /** The person's own, made and put into its file when there is none. @throws RoomError `io` */
    own(): { token: string; isNew: boolean; path: string } {
      const kept = readToken(path);
      if (kept !== null && tokens.find(hashOf(kept)) !== null) return { token: kept, isNew: false, path };
      const token = fresh();
      secureOwnFolder(room);
      onDisk(path, () => writeToken(path, token));
      ledger.transaction(() => {
        tokens.deleteAll('WHERE kind = ?', 'own');
        add(token, OWN);
      });
      return { token, isNew: true, path };
    },
    /** @throws RoomError `bad_input` for a name that says nothing or is taken, or for a token that could do more than it should */
    create(wanted: NewToken): { token: string; row: ApiToken } {
      assertSound(wanted, tokens.all().filter(isGood));
      const token = fresh();
      return { token, row: add(token, { ...wanted, kind: 'given' }) };
    },
    /** A browser's, for 30 days. */
    createSession(): { token: string; expiresAt: number } {
      const token = fresh();
      const expiresAt = effects.now() + SESSION_MS;
      add(token, { ...OWN, kind: 'session', name: 'browser', expiresAt });
      return { token, expiresAt };
    },
    list: () => tokens.all().filter(isGood),
    /** By id or name; from now on it opens nothing. The person's own is replaced at the next start. @throws RoomError `not_found` */
    revoke(name: string): ApiToken {
      const found = tokens.all().find((each) => each.id === name || each.name === name);
      const hint = 'see: taskroom token list';
      if (found === undefined)
        throw new RoomError('not_found', `there is no token ${JSON.stringify(name)}`, hint);
      tokens.delete(found.id);
      return found;
    },
    /** What a token may do; null for one that is unknown, expired or revoked. */
    check(token: string): ApiToken | null {
      const row = tokens.find(hashOf(token));
      if (row === null || !isGood(row)) return null;
      const now = effects.now();
      if (row.usedAt === null || now - row.usedAt > NOTED_EVERY_MS) tokens.update(row.id, { usedAt: now });
      return row;
    },
  };
}

const OWN: Omit<ApiToken, 'id' | 'createdAt' | 'usedAt'> = {
  ...{ kind: 'own', name: 'person', access: 'full', tasks: null, agents: null, expiresAt: null },
};

const hashOf = (token: string): string => hash('sha256', token);

function assertSound({ name, access, tasks, agents, expiresAt }: NewToken, known: readonly ApiToken[]): void {
  const refuse = (message: string, hint?: string): never => {
    throw new RoomError('bad_input', message, hint);
  };
  const shown = JSON.stringify(name);
  if (!NAME.test(name))
    refuse(`${shown} is no name for a token`, 'up to 40 letters, digits, dots, dashes and underscores');
  if (known.some((each) => each.name === name)) {
    const hint = `choose another name, or first: taskroom token revoke ${name}`;
    refuse(`there is a token ${shown} already`, hint);
  }
  if (tasks !== null && access === 'full')
    refuse('a token for some tasks acts as an assistant or only looks');
  if (tasks !== null && access === 'worker') refuse("a worker's token is for agents, not for tasks");
  if (agents !== null && access !== 'worker') refuse("agents are named in a worker's token alone");
  if (tasks?.length === 0) refuse('a token for no task opens nothing');
  if (expiresAt !== null && !Number.isFinite(expiresAt)) refuse('a token expires at some time or never');
}

function readToken(path: string): string | null {
  if (!existsSync(path)) return null;
  const token = onDisk(path, () => readFileSync(path, 'utf8'), 'read').trim();
  return token.startsWith(PREFIX) ? token : null;
}

function writeToken(path: string, token: string): void {
  const next = `${path}.new`;
  writeFileSync(next, `${token}\n`, { mode: 0o600 });
  chmodSync(next, 0o600);
  renameSync(next, path);
}

export const listTokens = (deps: TaskRoom): TokenJson[] => createApiTokens(deps).list().map(shown);

/** As the person asks for one, by references of tasks. @throws RoomError `bad_input`, `not_found` for a task or an agent, `ambiguous`, `refused`, `not_allowed` */
export async function createToken(
  on: RoomHandle,
  { name, access, tasks, agents = [], expires_at }: TokenWish,
  actor: Actor,
): Promise<TokenJson & { token: string }> {
  const known = [...on.agents().keys()];
  for (const agent of agents)
    if (!known.includes(agent))
      throw new RoomError('not_found', `there is no agent ${JSON.stringify(agent)}`, {
        hint: `there are: ${known.join(', ')}`,
      });
  const idOf = async (ref: string) => {
    const task = await showTask(on, ref);
    if (task.id !== null) return task.id;
    throw new RoomError('refused', `${task.name} has no id yet`, 'taskroom up or once gives it one');
  };
  const { token, row } = createApiTokens(on).create({
    ...{ name, access, agents: agents.length === 0 ? null : agents },
    expiresAt: endOf(expires_at, actor.kind === 'person' ? (actor.until ?? null) : null),
    tasks: tasks === undefined ? null : await Promise.all(tasks.map(idOf)),
  });
  return { ...shown(row), token };
}

/** By id or name. @throws RoomError `not_found` */
export const revokeToken = (deps: TaskRoom, name: string): TokenJson =>
  shown(createApiTokens(deps).revoke(name));

function shown({ createdAt, expiresAt, usedAt, ...token }: ApiToken): TokenJson {
  const { id, kind, name, access, tasks, agents } = token;
  return {
    ...{ id, kind, name, access, tasks, agents },
    created_at: isoOrNull(createdAt),
    expires_at: isoOrNull(expiresAt),
    used_at: isoOrNull(usedAt),
  };
}

/** Epoch ms; one that is to last for good ends with the token it is made with, and none outlives that. */
function endOf(expires_at: string | undefined, makersEnd: number | null): number | null {
  const wanted = expires_at === undefined ? null : Date.parse(expires_at);
  if (makersEnd === null || (wanted !== null && wanted <= makersEnd)) return wanted;
  if (wanted === null) return makersEnd;
  const hint = `this one ends at ${new Date(makersEnd).toISOString()}; ask for less, or make it beside the room`;
  throw new RoomError('not_allowed', 'a token makes none that outlives it', hint);
}
