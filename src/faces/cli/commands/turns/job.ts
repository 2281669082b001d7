// `taskroom job`: shell commands in the background.
import { RoomError } from '../../../../core/errors.ts';
import type { NewJob } from '../../../../tasks/contract/jobs.ts';
import { jobJson, jobReadingJson } from '../../../shapes/job-json.ts';
import type { Call, CommandModule } from '../../command.ts';
import { cleanLine, cleanText } from '../../lines/display-text.ts';

export const command: CommandModule = {
  about:
    'Background jobs: shell commands of a task, run in the folder its agent works in, with their output on disk. A job ends with the turn that starts it, unless it is kept.',
  arguments: [
    { name: 'action', about: 'list, start, show or stop; list when left out', optional: true },
    {
      name: 'job',
      about: 'start: the shell command; else the id of a job, or its beginning',
      optional: true,
    },
  ],
  options: [
    { flags: '--task <task>', about: 'start, list: the task it belongs to; inside a turn its own' },
    { flags: '--keep', about: 'start: it goes on when the turn ends; its end wakes the task' },
    { flags: '--watch <words>', about: 'start: note lines of output that hold this; several with | between' },
    { flags: '--about <line>', about: 'start: what it is, in a line' },
    { flags: '--wait <sec>', about: 'show: wait for its end, this long at most' },
    { flags: '--from <byte>', about: 'show: output from this byte on' },
  ],
  examples: [
    ['taskroom job start "npm run build" --task web', 'start one; its id is printed'],
    ['taskroom job show b3k --wait 30', 'its state and output, once it ended or after 30 s'],
    ['taskroom job stop b3k', 'end it: TERM, 5 s, KILL'],
  ],
  notes:
    'With --json: {"jobs":[…]}; start, show and stop print one job, show with "output", "output_offset" (where to go on) and "output_bytes".\nAgents start jobs only where "permissions" in their agent.json is run or all.',
  async run(call) {
    const [action = 'list', word] = call.words;
    if (action === 'list') return list(call);
    const act = ACTIONS[action];
    if (act === undefined)
      throw new RoomError('bad_input', `${JSON.stringify(action)} is nothing to do with jobs`, {
        hint: 'expected: list, start, show or stop',
      });
    if (word === undefined)
      throw new RoomError('bad_input', action === 'start' ? 'no command was given' : 'no job was given', {
        hint: 'see: taskroom job --help',
      });
    return act(call, word);
  },
};

type Act = (call: Call, word: string) => Promise<undefined>;

const ACTIONS: Readonly<Record<string, Act>> = { start, show, stop };

async function list(call: Call): Promise<undefined> {
  const { json, terminal, paint, effects, options } = call;
  const runtime = await call.openRoom({ readOnly: true });
  const task = options.text('task');
  const jobs = await runtime.tasks.jobs(task === null ? {} : { ref: task });
  if (json) {
    terminal.write(`${JSON.stringify({ jobs: jobs.map(jobJson) })}\n`);
    return;
  }
  const { jobLine } = await import('../../lines/job-lines.ts');
  const lines = jobs.map((job) => jobLine(job, effects.now(), paint, terminal.columns()));
  terminal.write(lines.length === 0 ? `${paint('dim', 'no jobs')}\n` : `${lines.join('\n')}\n`);
}

async function start(call: Call, given: string): Promise<undefined> {
  const { json, terminal, paint, options } = call;
  const task = options.text('task') ?? terminal.env.TASKROOM_TASK ?? '';
  if (task === '')
    throw new RoomError('bad_input', 'no task was given', { hint: 'taskroom job start "…" --task <task>' });
  const job: NewJob = { command: given };
  const about = options.text('about');
  const watch = options.text('watch');
  if (about !== null) job.description = about;
  if (watch !== null) job.watch = watch;
  if (options.flag('keep')) job.keep = true;
  const runtime = await call.openRoom();
  const started = await runtime.tasks.startJob(task, job, runtime.caller);
  if (json) terminal.write(`${JSON.stringify(jobJson(started))}\n`);
  else
    terminal.write(
      `${paint('green', '✓')} job ${started.id} is started\n${paint('dim', `  taskroom job show ${started.id} --wait 30`)}\n`,
    );
}

async function show(call: Call, id: string): Promise<undefined> {
  const { json, terminal, paint, effects, options } = call;
  const waitMs = (options.whole('wait', 0) ?? 0) * 1000;
  const offset = options.whole('from', 0) ?? 0;
  const runtime = await call.openRoom({ readOnly: true });
  const job = await runtime.tasks.job(id, { offset, waitMs });
  if (json) {
    terminal.write(`${JSON.stringify(jobReadingJson(job))}\n`);
    return;
  }
  const { jobLine } = await import('../../lines/job-lines.ts');
  terminal.write(`${jobLine(job, effects.now(), paint, terminal.columns())}\n`);
  const { text, next, size } = job.output;
  if (text !== '') terminal.write(`${cleanText(text).replace(/\n$/, '')}\n`);
  if (next < size) terminal.write(paint('dim', `  more: taskroom job show ${job.id} --from ${next}\n`));
}

async function stop(call: Call, id: string): Promise<undefined> {
  const { json, terminal, paint } = call;
  const runtime = await call.openRoom();
  const job = await runtime.tasks.stopJob(id, runtime.caller);
  if (json) terminal.write(`${JSON.stringify(jobJson(job))}\n`);
  else {
    const said = job.endedAt === null ? 'is being stopped' : 'is stopped';
    terminal.write(`${paint('green', '✓')} job ${job.id} ${said}: ${cleanLine(job.description)}\n`);
  }
}
