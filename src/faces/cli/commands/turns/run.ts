// `taskroom run`: asks for a turn on a task now, or lets held tasks go.

import type { OutputOf } from '../../../../operations/client.ts';
import type { RoomClient } from '../../../../runtime.ts';
import type { Call, CommandModule } from '../../command.ts';
import { OK, TURN_FAILED } from '../../exit-codes.ts';
import { refuseInsideTurn, taskOf } from '../../invocation/caller.ts';
import { followTask } from '../../invocation/follow-task.ts';
import { assertDaemonRuns, nextTurn, turnsBefore } from '../../invocation/next-turn.ts';
import { cleanLine } from '../../lines/display-text.ts';
import { turnEnd } from '../../lines/turn-lines.ts';
import { TASK } from '../../parse/task-argument.ts';

export const command: CommandModule = {
  about: 'Asks for a turn on a task now, though nothing changed in it and though earlier attempts failed.',
  arguments: [TASK],
  options: [
    { flags: '--force', about: 'also when the task is paused, blocked or a draft' },
    { flags: '--wait', about: 'wait for the end of the turn; exit code 1 when it fails' },
    {
      flags: '-f, --follow',
      about:
        'show the output of the turn until it ends; on a terminal, what it asks is asked you, and it goes on',
    },
    { flags: '--all', about: 'release every held task instead' },
  ],
  examples: [
    ['taskroom run 3npr --wait && echo fine', 'and wait for how it ends'],
    ['taskroom run "Fix the build" --follow', 'sit beside it: its output, and its questions'],
    ['taskroom run --all', 'release tasks held after a mass edit'],
  ],
  notes:
    'With --json: {"id","name","daemon","after"}, after being the turn that runs now and comes first, or null; with --wait or --follow the turn as in turns, once it has ended; with --all: {"released","daemon"}.\nA turn that is followed is of origin chat: it starts before those of tasks and chores, within limits.chat.\nWithout a daemon the turn is noted, and runs with the next taskroom up or once.',
  async run(call) {
    const runtime = await call.openRoom();
    if (call.options.flag('all')) return releaseAll(call, runtime);
    const ref = taskOf(call);
    const actor = runtime.caller;
    const wait = call.options.flag('wait');
    const force = call.options.flag('force');
    if (wait || call.options.flag('follow')) assertDaemonRuns(runtime);
    if (call.options.flag('follow')) return follow(call, runtime, ref, force);
    const before = wait ? await turnsBefore(runtime, ref) : new Set<string>();
    const asked = await runtime.tasks.call('run', { ref, force }, actor, true);
    if (wait) return waitForTurn(call, runtime, asked.id, before);
    const { why_not: whyNot } = await runtime.tasks.call('show', { ref: asked.id }, runtime.caller, true);
    const waits = whyNot?.reason === 'budget' ? `waits: ${whyNot.text}; ${whyNot.hint}` : null;
    if (call.json) call.terminal.write(`${JSON.stringify(asked)}\n`);
    else
      call.terminal.write(
        `${call.paint('green', '✓')} ${cleanLine(asked.name)} ${call.paint('dim', asked.id)} ${waits ?? said(asked)}\n`,
      );
    return OK;
  },
};

async function follow(call: Call, runtime: RoomClient, ref: string, force: boolean): Promise<number> {
  const turn = await followTask(call, runtime, ref, { force });
  if (call.json) call.terminal.write(`${JSON.stringify(turn)}\n`);
  return turn.state === 'completed' ? OK : TURN_FAILED;
}

function said({ daemon, after }: OutputOf<'run'>): string {
  if (after) return `gets one more turn after this one: ${after} runs now`;
  return daemon ? 'gets a turn' : 'gets a turn with the next taskroom up or taskroom once';
}

async function releaseAll({ json, terminal, paint }: Call, runtime: RoomClient): Promise<number> {
  refuseInsideTurn(runtime, 'release the held tasks of');
  const { released, daemon } = await runtime.tasks.call('release', {}, runtime.caller, true);
  const tasks = `${released} task${released === 1 ? '' : 's'}`;
  if (json) terminal.write(`${JSON.stringify({ released, daemon })}\n`);
  else if (released === 0) terminal.write(`${paint('dim', 'no task is held')}\n`);
  else
    terminal.write(
      `${paint('green', '✓')} ${tasks} released${daemon ? '' : '; the next taskroom up or once runs them'}\n`,
    );
  return OK;
}

async function waitForTurn(
  call: Call,
  runtime: RoomClient,
  id: string,
  before: ReadonlySet<string>,
): Promise<number> {
  const turn = await nextTurn(call, runtime, id, before, ({ state }) => state !== 'running');
  if (call.json) call.terminal.write(`${JSON.stringify(turn)}\n`);
  else {
    const sign = turn.state === 'completed' ? call.paint('green', '✓') : call.paint('red', '✗');
    call.terminal.write(
      `${sign} ${cleanLine(turn.description)} ${call.paint('dim', turn.id)} ${turnEnd(turn)} ${cleanLine(turn.message ?? '')}`
        .trimEnd()
        .concat('\n'),
    );
  }
  return turn.state === 'completed' ? OK : TURN_FAILED;
}
