// Whose words may start a turn (N8), and the gate of a mirrored task: words of somebody the mirror does not trust wait for a
// person, and so does an issue that such a person opened again. Who did it counts where the tracker names him, else the
// issue's author.
import type { MirrorConfig } from '../../core/chore/chore.ts';
import { isFinished, saysFinished } from '../../core/task/status.ts';
import type { Author, Profile, RemoteAct } from '../../providers/provider.ts';
import type { LocalKey, PlanInput, RemoteFields } from './plan-data.ts';
import type { FieldPlan } from './plan-fields.ts';

/** Whose words count: by role (null for everybody's) or login. */
export type Trusted = { roles: string[] | null; logins: string[] };
type Trusting = Pick<MirrorConfig, 'trust'>;
type HasRoles = Pick<Profile, 'trustedRoles'>;

export const isTrusted = (author: Author, config: Trusting, profile: HasRoles): boolean =>
  isTrustedBy(author, trustedBy(config, profile));

/** The same for who has no settings of the mirror at hand. */
export function isTrustedBy({ author, role, mine }: Author, { roles, logins }: Trusted): boolean {
  if (mine || roles === null) return true;
  const login = author.toLowerCase();
  if (logins.some((one) => one.toLowerCase() === login)) return true;
  return role !== null && roles.some((one) => one.toLowerCase() === role.toLowerCase());
}

/** Whose words a mirror trusts: where the tracker has no roles, everybody's, unless the mirror names people. */
export function trustedBy({ trust }: Trusting, { trustedRoles }: HasRoles): Trusted {
  const { logins } = trust;
  if (trust.roles === null && trustedRoles.length === 0)
    return { roles: logins.length === 0 ? null : [], logins };
  return { roles: trust.roles ?? [...trustedRoles], logins };
}

/** Somebody whose words wait for a person: `anybody` where the mirror trusts no edit, `nobody named` where the tracker is silent. */
type Untrusted = Pick<Author, 'author' | 'role'> | 'anybody' | 'nobody named';

const READ_IT = 'Read it, then `taskroom resume`.';

/** Why a task waits for its person, as part of a sentence. */
export function gateReason(who: Untrusted): string {
  if (who === 'anybody') return 'this mirror trusts no edit';
  if (who === 'nobody named') return 'the tracker does not say who did it';
  return `${who.author} is not trusted by this mirror`;
}

const ACTS = { opened: 'Opened', edited: 'Changed upstream', reopened: 'Opened again upstream' } as const;

export function noteOf(who: Untrusted, act: keyof typeof ACTS): string {
  if (typeof who === 'string') return `${ACTS[act]}: ${gateReason(who)}. ${READ_IT}`;
  const name = who.role === null ? who.author : `${who.author} (${who.role})`;
  return `${ACTS[act]} by ${name}, whom this mirror does not trust. ${READ_IT}`;
}

/** Whether title or body are others upstream than when both sides agreed. */
export function isReworded({ base, remote }: Pick<PlanInput, 'base' | 'remote'>): boolean {
  if (base === null || remote === null) return false;
  return remote.title !== base.remote.title || remote.body !== base.remote.body;
}

/** Whether it was over when both sides agreed, and is not any more. */
export const isReopened = ({ base, remote }: Pick<PlanInput, 'base' | 'remote'>): boolean =>
  base !== null && remote !== null && isFinished(base.remote.status) && !isFinished(remote.status);

/** The gate as the base is to hold it, whether the task is to be paused now, and lines for its Notes. */
export function planGate(input: PlanInput, remote: RemoteFields, fields: Record<LocalKey, FieldPlan>) {
  const { base, local, config } = input;
  const { title, body, status } = fields;
  const isChanged = base === null ? title.down !== undefined || body.down !== undefined : isReworded(input);
  const trusting = config.trust.edits === 'trusted';
  const editor = !isChanged ? null : trusting ? strangerWho(input, remote, 'edited') : 'anybody';
  const shut = editor === null ? (base?.gate ?? null) : gateReason(editor);
  if (
    local.paused ||
    (status.down === undefined ? isFinished(local.class) : saysFinished(String(status.down), input.statuses))
  )
    return { gate: shut, pause: false, notes: [] };
  const pause = (gate: string, note: string) => ({ gate, pause: true, notes: [note] });
  if (editor !== null) return pause(gateReason(editor), noteOf(editor, 'edited'));
  // By hand it is a person who opens it again; upstream it is somebody, and what was said there meanwhile is unread.
  const isOpenedThere = isFinished(local.class);
  const isKnownToReopen = isOpenedThere && (base === null || isReopened(input));
  const opener = isKnownToReopen ? strangerWho(input, remote, 'reopened') : null;
  if (opener !== null) return pause(gateReason(opener), noteOf(opener, 'reopened'));
  if (isOpenedThere && shut !== null) return pause(shut, `Changed upstream: ${shut}. ${READ_IT}`);
  return { gate: null, pause: false, notes: [] };
}

/** Who did this and is not trusted: the first of those the tracker names, or the author where it names none. */
function strangerWho({ acts, config, profile }: PlanInput, remote: RemoteFields, what: RemoteAct['what']) {
  if (acts === null) return isTrusted(remote, config, profile) ? null : remote;
  const done = acts.filter((act) => act.what === what);
  if (done.length === 0) return 'nobody named';
  return done.find((act) => !isTrusted(act, config, profile)) ?? null;
}
