// `taskroom stop`: asks the room's daemon to stop, and waits for it.
import type { RoomClient } from '../../app/open-room.ts';
import { nullIf, RoomError } from '../../core/errors.ts';
import { type Effects, sleep } from '../../effects.ts';
import type { OutputOf } from '../../operations/client.ts';
import type { CommandModule } from '../command.ts';
import { refuseInsideTurn } from '../invocation/changes.ts';

const PATIENCE_MS = 60_000; // A graceful stop gives turns 30 s; the rest is for their ending.
const POLL_MS = 100;

export const command: CommandModule = {
  about:
    'Asks the daemon of the room to stop, and waits until it has. Running turns get 30 seconds to end. An agent can not stop the room its turn runs in.',
  arguments: [],
  options: [['--now', 'interrupt running turns at once; they are tried again at the next start']],
  examples: { 'taskroom stop': 'let running turns end, then stop', 'taskroom stop --now': 'stop at once' },
  notes:
    'When no daemon runs there is nothing to do, and the exit code is 0.\nWith --json: {"stopped":true,"pid":…}; stopped is false when none ran.',
  async run({ options, json, terminal, paint, effects, openRoom }) {
    const runtime = await openRoom();
    refuseInsideTurn(runtime, 'stop');
    const holder = await namedHolder(runtime, effects);
    const tell = (stopped: boolean, pid: number | null, text: string) =>
      terminal.write(json ? `${JSON.stringify({ stopped, pid })}\n` : `${text}\n`);
    if (holder === null) return void tell(false, null, paint('dim', 'no daemon runs here'));
    const now = options.flag('now');
    const { pid, since } = holder;
    await runtime.tasks.call('stopRoom', { pid, since, now }, runtime.caller);
    if (!json && terminal.outIsTerminal && !now) terminal.write(paint('dim', `waiting for pid ${pid}…\n`));
    const deadline = effects.monotonicMs() + PATIENCE_MS;
    // Another daemon that holds the room now was not asked.
    while (isSame(await holderOf(runtime), holder)) {
      if (effects.monotonicMs() > deadline)
        throw new RoomError('locked', `pid ${pid} still holds the room after ${PATIENCE_MS / 1000} s`, {
          hint: `${now ? '' : 'try: taskroom stop --now; or '}end the process yourself: kill ${pid}`,
        });
      await sleep(effects, POLL_MS);
    }
    tell(true, pid, `${paint('green', '✓')} stopped (pid ${pid})`);
  },
};

type Holder = NonNullable<OutputOf<'roomFacts'>['holder']>;

/** Null for no daemon, and for one elsewhere that answers no more. */
async function holderOf({ tasks, caller }: RoomClient): Promise<Holder | null> {
  const facts = await tasks.call('roomFacts', {}, caller, true).catch(nullIf('unavailable'));
  return facts?.holder ?? null;
}

/** Waits for the name of the holder, which a daemon writes just after it took the lock. */
async function namedHolder(runtime: RoomClient, effects: Effects): Promise<Holder | null> {
  const deadline = effects.monotonicMs() + POLL_MS * 20;
  for (;;) {
    const holder = await holderOf(runtime);
    if (holder === null || holder.pid > 0 || effects.monotonicMs() > deadline) return holder;
    await sleep(effects, POLL_MS);
  }
}

const isSame = (now: Holder | null, asked: Holder): boolean =>
  now !== null && (now.pid === 0 || (now.pid === asked.pid && now.since === asked.since));
