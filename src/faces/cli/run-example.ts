// The first thing a new user sees: a room runs, and once it rests it is said what happened and what to try next.
import { createNodeEffects } from '../../node.ts';
import { openRuntime, type Runtime } from '../../runtime.ts';
import { runUp } from './invocation/run-room.ts';
import { cleanLine, truncate } from './lines/display-text.ts';
import { reportError } from './lines/error-report.ts';
import { quoteWord } from './lines/shell-word.ts';
import { renderTaskList } from './lines/task-lines.ts';
import { choosePaint, type Paint } from './paint.ts';
import { createProcessTerminal, type Terminal } from './terminal.ts';

export interface ExampleOptions {
  /** The room to run: a copy that may be written to. */
  dir: string;
  /** How a person starts taskroom here: `taskroom`, `node dist/faces/bin.cjs`. */
  program: string;
  exitWhenIdle: boolean;
  /** What stands in the trackers that the room mirrors, as lines. */
  describeTrackers?: () => Promise<string[]>;
}

/** Runs a room in the foreground as `taskroom up` does, with the tour at its first rest. Returns the exit code. */
export async function runExample(options: ExampleOptions): Promise<number> {
  const { dir, exitWhenIdle } = options;
  const terminal = createProcessTerminal();
  const paint = choosePaint(true, terminal.env, terminal.outIsTerminal);
  const effects = createNodeEffects();
  let runtime: Runtime | null = null;
  try {
    runtime = await openRuntime(dir, effects);
    const onFirstIdle = (room: Runtime) => tour(room, terminal, paint, options);
    return await runUp({ runtime, terminal, effects, paint, json: false, exitWhenIdle, onFirstIdle });
  } catch (error) {
    const { text, exitCode } = reportError(
      error,
      false,
      choosePaint(true, terminal.env, terminal.errorIsTerminal),
    );
    terminal.writeError(text);
    return exitCode;
  } finally {
    await runtime?.close();
  }
}

async function tour(
  runtime: Runtime,
  terminal: Terminal,
  paint: Paint,
  { program, exitWhenIdle, describeTrackers }: ExampleOptions,
): Promise<string> {
  const list = await runtime.tasks.list();
  const happened = renderTaskList(list, { paint, columns: terminal.columns(), all: true });
  const upstream = (await describeTrackers?.()) ?? [];
  const parts = [paint('bold', 'What happened'), happened];
  if (upstream.length > 0) {
    const lines = upstream.map((line) => `  ${truncate(cleanLine(line), (terminal.columns() ?? 120) - 2)}`);
    parts.push(paint('bold', 'What the trackers say now'), `${lines.join('\n')}\n`);
  }
  return `\n${parts.join('\n\n')}\n${nextSteps(runtime.room.dir, program, paint, exitWhenIdle)}\n`;
}

/** What to try next, as lines that can be pasted into a shell. */
export function nextSteps(dir: string, program: string, paint: Paint, exitWhenIdle: boolean): string {
  const room = `--room ${quoteWord(dir)}`;
  const file = (name: string) => quoteWord(`${dir}/tasks/${name}.md`);
  const again: [string, string][] = [
    [`${program} up ${room}`, 'run the room again, and keep it running for what follows'],
  ];
  const sync: [string, string][] = [
    [
      `${program} chores run web-issues ${room}`,
      'ask the small GitHub server for news now, not every 5 minutes',
    ],
  ];
  const tries: [string, string][] = [
    ...(exitWhenIdle ? again : []),
    [`cat ${file('Count the words')}`, 'what was written into the file: ticked steps, Progress, Outcome'],
    [`${program} edit 'Broken on purpose' ${room}`, 'put quotes around its title and save: it runs at once'],
    [`${program} resume 'Water the plants' ${room}`, 'let the paused task run'],
    [
      `${program} new 'My first task' 'Think of something.' ${room}`,
      'a task without blocks: the runbook says what it lacks',
    ],
    [`${program} log 'Count the words' ${room}`, 'the output of its last turn'],
    [`${program} mirrors ${room}`, 'which task is which issue'],
    ...(exitWhenIdle ? [] : sync),
    [`${program} list ${room}`, 'how things stand'],
  ];
  const heading = exitWhenIdle ? 'What to try next' : 'What to try next, in another terminal';
  const lines = tries.map(([line, about]) => `  ${line}\n      ${paint('dim', about)}`);
  const end = exitWhenIdle
    ? `The room stays in ${dir}. Its two trackers ended with this run: syncs fail from now on, and say why.`
    : 'This room keeps watching its files; Ctrl-C stops it.';
  return [paint('bold', heading), '', ...lines, '', end].join('\n');
}
