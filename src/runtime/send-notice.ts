// Sends an agent's message to the person: to a program of theirs, to an address of theirs. Neither gets a provider's secret.
import { execa } from 'execa';
import { inheritedEnv } from '../core/config/agent-env.ts';
import { RoomError } from '../core/errors.ts';
import type { OutgoingNotice } from '../pulse/ports.ts';
import type { TaskRoom } from '../tasks/task-room.ts';
import { noticePost } from './notice-body.ts';

const TIME_LIMIT_MS = 20_000;

/**
 * Sends by every way that `notify:` names.
 * @throws RoomError `unavailable` when one of them failed; the others were tried
 */
export async function sendNotice(deps: TaskRoom, notice: OutgoingNotice): Promise<void> {
  const { command, webhook } = deps.config().notify;
  const ways = [
    ...(command === null ? [] : [runProgram(deps, command, notice)]),
    ...(webhook === null ? [] : [post(deps, webhook, notice)]),
  ];
  const failed = (await Promise.allSettled(ways)).find((way) => way.status === 'rejected');
  if (failed) throw failed.reason;
}

async function runProgram(
  { room, effects }: TaskRoom,
  [program = '', ...args]: readonly string[],
  notice: OutgoingNotice,
): Promise<void> {
  const env = {
    ...inheritedEnv(effects.env, effects.withheld),
    AGENT_ROOM: room.dir,
    TASKROOM_NOTICE_KIND: notice.kind,
    TASKROOM_NOTICE_FROM: notice.author,
    TASKROOM_NOTICE_TASK: notice.task ?? '',
    TASKROOM_NOTICE_NAME: notice.name ?? '',
  };
  const result = await execa(program, args, {
    ...{ cwd: room.dir, env, extendEnv: false, input: `${notice.text}\n`, stdout: 'ignore', reject: false },
    ...{ timeout: TIME_LIMIT_MS, killSignal: 'SIGKILL', maxBuffer: 4096 },
  });
  if (!result.failed) return;
  const why = result.timedOut
    ? `took longer than ${TIME_LIMIT_MS / 1000} s`
    : (result.stderr.trim().split('\n').at(-1) ?? '') || result.shortMessage;
  throw failure(`notify.command failed: ${why}`, 'see the program that room.yaml names under notify');
}

async function post(
  { room, effects, config }: TaskRoom,
  variable: string,
  notice: OutgoingNotice,
): Promise<void> {
  const address = effects.env[variable];
  const hint = `set ${variable} to the address where the room is started, or change notify.webhook in room.yaml`;
  if (!address) throw failure(`notify.webhook: ${variable} is not set`, hint);
  const signal = AbortSignal.timeout(TIME_LIMIT_MS);
  let response: Response;
  try {
    const { url, headers, body } = noticePost(config().notify.format, address, room.dir, notice);
    // A message that was sent and not recorded comes again under the same key.
    const all = { ...headers, 'idempotency-key': `${notice.at}-${notice.seq}` };
    response = await effects.fetch(url, { method: 'POST', headers: all, body, signal, redirect: 'error' });
  } catch (error) {
    // The address is a secret: what a URL parser or a network says of it may hold it.
    const why = error instanceof RoomError ? error.message : `can't be reached (${reasonOf(error)})`;
    throw failure(`notify.webhook: the address in ${variable} ${why}`, hint);
  }
  await response.body?.cancel();
  if (!response.ok) throw failure(`notify.webhook: the answer was ${response.status}`, hint);
}

function reasonOf(error: unknown): string {
  const { name, cause } = error as Error & { cause?: { code?: string } };
  return cause?.code ?? name;
}

function failure(message: string, hint: string): RoomError {
  return new RoomError('unavailable', message, { hint });
}
