// The example that a new user runs first: a room, and at its first rest what happened and what to try next.
import { type OpenRoom, openRuntime } from '../app/open-room.ts';
import { quoteWord } from '../core/errors.ts';
import { createNodeEffects } from '../node.ts';
import type { ApiOptions, PreparedApi } from '../server/shapes/faces.ts';
import { OK } from './exit-codes.ts';
import { packageFacts, runUp, type UpOptions } from './invocation/run-room.ts';
import { cleanLine, fit, truncate } from './lines/display-text.ts';
import { reportError } from './lines/error-report.ts';
import { renderTaskList } from './lines/task-lines.ts';
import { clockTime } from './lines/time-text.ts';
import { choosePaint, type Paint } from './paint.ts';
import { createProcessTerminal, type Terminal } from './terminal.ts';
import { inboxLines } from './views/work-views.ts';

export interface ExampleOptions {
  prepareApi(options: ApiOptions): Promise<PreparedApi>;
  dir: string; // The room to run: a copy that may be written to.
  program: string; // How a person starts taskroom here: `taskroom`, `node dist/bin/bin.cjs`.
  exitWhenIdle: boolean;
  describeTrackers?: () => Promise<string[]>; // The state of the mirrored trackers, as lines.
  /** Commands to try next, each with what it does. */
  steps: readonly { heading: string; tries: readonly (readonly [line: string, about: string])[] }[];
  end: string;
  people?: People;
}

/** The people at the trackers who answer the room's agents; `chore` brings in what they did. */
interface People {
  chore: string;
  /** They look at what is new there. Resolves with what they do about it. */
  look(): Promise<{ ref: string; who: string; text: string }[]>;
}

/** Runs a room as `taskroom up` does, with a tour at its first rest. Returns the exit code. */
export async function runExample(options: ExampleOptions): Promise<number> {
  const { dir, exitWhenIdle } = options;
  const terminal = createProcessTerminal();
  const paint = choosePaint(true, terminal.env, terminal.outIsTerminal);
  const effects = createNodeEffects();
  let runtime: OpenRoom | null = null;
  try {
    runtime = await openRuntime(dir, effects);
    const up = { runtime, terminal, effects, paint, json: false, exitWhenIdle };
    // A run that ends by itself is over before anybody looks at a page.
    if (exitWhenIdle) return await runWithPeople(up, options);
    const tcp = { host: '127.0.0.1', port: null, names: [], tls: null, withoutTls: false };
    const api = await options.prepareApi({ tcp, ...packageFacts() });
    try {
      return await runWithPeople({ ...up, api }, options);
    } finally {
      await api.close();
    }
  } catch (error) {
    const errorPaint = choosePaint(true, terminal.env, terminal.errorIsTerminal);
    const { text, exitCode } = reportError(error, false, errorPaint);
    terminal.writeError(text);
    return exitCode;
  } finally {
    await runtime?.close();
  }
}

const RUNS = 4; // People may act when the room is about to end; then it runs once more.

async function runWithPeople(up: UpOptions, options: ExampleOptions): Promise<number> {
  const { runtime, terminal, paint, exitWhenIdle } = up;
  let signalled = false;
  const offSignal = terminal.onSignal(() => {
    signalled = true;
  });
  try {
    for (let runs = 1; ; runs += 1) {
      const story = followPeople(up, options.people);
      const onFirstIdle = async () =>
        (await story.told) || runs === RUNS ? tour(runtime, terminal, paint, options) : '';
      const code = await runUp({ ...up, onFirstIdle }).finally(story.close);
      if (!exitWhenIdle || signalled || code !== OK || runs === RUNS || (await story.told)) return code;
    }
  } finally {
    offSignal();
  }
}

/** Lets the people act upon what comes up; `told` is true at a rest after which nobody acts, false if the room stops first. */
function followPeople(up: UpOptions, people: People | undefined): { told: Promise<boolean>; close(): void } {
  const { runtime } = up;
  const told = Promise.withResolvers<boolean>();
  told.promise.catch(() => {});
  let playing: Promise<void> = Promise.resolve();
  /** What they did is not brought in yet. */
  let isOnTheWay = false;

  async function act({ chore, look }: People): Promise<void> {
    const acts = await look();
    if (acts.length === 0) return;
    isOnTheWay = true;
    for (const { ref, who, text } of acts) tellLine(up, ref, `${who} ${text}`);
    await runtime.tasks.call('runChore', { name: chore }, { kind: 'person' });
  }
  const play = (): Promise<void> => {
    playing = playing.then(() => (people === undefined ? undefined : act(people)));
    playing.catch(told.reject);
    return playing;
  };

  const close = runtime.events.subscribe((event) => {
    const isNews =
      event.type === 'mirror.pushed' ? event.comments > 0 : event.type === 'pull_request.changed';
    if (isNews) void play();
    else if (event.type === 'chore.finished' && event.name === people?.chore) isOnTheWay = false;
    else if (event.type === 'sync.failed') isOnTheWay = false;
    else if (event.type === 'room.idle')
      void play().then(() => isOnTheWay || told.resolve(true), told.reject);
    else if (event.type === 'room.stopped') void playing.then(() => told.resolve(false), told.reject);
  });
  return { told: told.promise, close };
}

const REF_CELLS = 26;

function tellLine({ terminal, paint, effects }: UpOptions, ref: string, text: string): void {
  const start = `${paint('dim', clockTime(effects.now()))}  ${paint('cyan', '»')} ${fit(ref, REF_CELLS)}  `;
  const columns = terminal.columns();
  const used = '00:00:00  » '.length + REF_CELLS + 2;
  terminal.write(`${start}${truncate(cleanLine(text), columns === null ? null : columns - used)}\n`);
}

async function tour(runtime: OpenRoom, terminal: Terminal, paint: Paint, options: ExampleOptions) {
  const columns = terminal.columns();
  const list = await runtime.tasks.call('list', { all: true }, runtime.caller, true);
  const happened = renderTaskList(list, { paint, columns, all: true });
  const upstream = (await options.describeTrackers?.()) ?? [];
  const parts = [paint('bold', 'What happened'), happened];
  if (upstream.length > 0) {
    const lines = upstream.map((line) => `  ${truncate(cleanLine(line), (columns ?? 120) - 2)}`);
    parts.push(paint('bold', 'What the trackers say now'), `${lines.join('\n')}\n`);
  }
  const room = `--room ${quoteWord(runtime.room.dir)}`;
  const { inbox } = await runtime.tasks.call('inbox', {}, runtime.caller, true);
  const settled = inbox.map((item) => ({
    ...item,
    settle: item.settle.replace(/(^|&& )taskroom (.*)$/, `$1${options.program} $2 ${room}`),
  }));
  const needs = inboxLines({ inbox: settled }, { paint, columns, nowMs: 0 });
  parts.push(paint('bold', 'What needs you'), `${needs.map((line) => `  ${line}`).join('\n')}\n`);
  for (const { heading, tries } of options.steps) {
    const lines = tries.map(([line, about]) => `  ${line}\n      ${paint('dim', about)}\n`);
    parts.push(paint('bold', heading), lines.join(''));
  }
  return `\n${parts.join('\n\n')}\n${options.end}\n`;
}
