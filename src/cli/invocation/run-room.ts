// Running a room in the foreground: banner, live log, and an end that is asked for by signal, by another process
// or by having nothing left to do. Every listener it sets is taken away before it returns.
import { Console } from 'node:console';
import type { OpenRoom, Pulse, PulseOptions } from '../../app/open-room.ts';
import { RoomError } from '../../core/errors.ts';
import type { RoomEvent } from '../../core/events.ts';
import { snakeKeys } from '../../core/snake-keys.ts';
import type { Effects, Timer } from '../../effects.ts';
import type { PreparedApi } from '../../server/shapes/faces.ts';
import type { Serve } from '../command.ts';
import { INTERRUPTED, OK } from '../exit-codes.ts';
import { cleanLine } from '../lines/display-text.ts';
import { createRepeatFilter, renderEvent, renderSyncProgress } from '../lines/event-lines.ts';
import { createSyncWatch, type SyncWatch } from '../lines/progress.ts';
import type { Paint } from '../paint.ts';
import type { Terminal } from '../terminal.ts';

/** How long running turns get after the first signal. */
const GRACE_MS = 30_000;

export interface UpOptions {
  runtime: OpenRoom;
  terminal: Terminal;
  effects: Effects;
  paint: Paint;
  /** One JSON event a line instead of the log. */
  json: boolean;
  exitWhenIdle: boolean;
  /** Opened once the loop holds the room, closed before it ends. */
  api?: PreparedApi;
  /** What else is there while it runs. */
  serve?: Serve;
  /** What to print when the room is idle for the first time. */
  onFirstIdle?: (runtime: OpenRoom) => Promise<string>;
}

/**
 * Runs the room until it is stopped, or idle when that was asked for.
 * @returns the exit code: 0, or 130 when it was made to stop at once
 * @throws RoomError as `startPulse`
 */
export async function runUp(options: UpOptions): Promise<number> {
  const { runtime, terminal, json } = options;
  if (!json) terminal.write(banner(options));
  const watch = json ? null : watchSyncs(options);
  const isRepeat = createRepeatFilter();
  let firstIdle: Promise<void> | null = null;
  const tellIdle = async () => {
    const text = await options.onFirstIdle?.(runtime);
    if (text) terminal.write(text);
  };
  const { forced } = await driveUntilEnd(
    options,
    {
      command: 'up',
      exitWhenIdle: options.exitWhenIdle,
      beforeRelease: async () => options.api?.close(),
    },
    (event) => {
      watch?.see(event);
      tellEvent(options, event, isRepeat);
      if (!json && event.type === 'turn.ended')
        void runtime.tasks.call('markTold', { turns: [event.turn] }, runtime.caller).catch(() => {});
      if (event.type === 'room.idle') firstIdle ??= tellIdle();
    },
    (pulse) => openApi(options, pulse),
  );
  watch?.close();
  await firstIdle;
  return forced ? INTERRUPTED : OK;
}

/** A ledger that is damaged again and again is the disk's trouble, and a person's. */
const LEDGERS = 3;

/** Runs a room; anew, as one that has no ledger yet, when its ledger turned out to be damaged and was set aside. */
export async function withSoundLedger<T>(
  openRoom: () => Promise<OpenRoom>,
  run: (runtime: OpenRoom) => Promise<T>,
): Promise<T> {
  for (let begun = 1; ; begun += 1) {
    const runtime = await openRoom();
    try {
      return await run(runtime);
    } catch (error) {
      const { isDamage } = await import('../../app/open-room.ts');
      if (!isDamage(error) || begun === LEDGERS) throw error;
      await runtime.close();
    }
  }
}

/** Tells how far long syncs are; to be closed. */
export function watchSyncs({
  terminal,
  paint,
  effects,
}: Pick<UpOptions, 'terminal' | 'paint' | 'effects'>): SyncWatch {
  return createSyncWatch(effects, (chore, text) => {
    const style = { paint, columns: terminal.columns(), at: effects.now() };
    terminal.write(renderSyncProgress(chore, text, style));
  });
}

export interface DriveEnd {
  turns: number;
  failed: number;
  /** A signal asked for the end. */
  stopped: boolean;
  /** A second one made it end at once. */
  forced: boolean;
}

/**
 * Starts the pulse, hands every event on, stops it on signals, and waits for its end.
 * @throws RoomError as `startPulse`
 */
export async function driveUntilEnd(
  { runtime, terminal, effects, serve }: Pick<UpOptions, 'runtime' | 'terminal' | 'effects' | 'serve'>,
  mode: PulseOptions,
  onEvent: (event: RoomEvent) => void,
  onStarted?: (pulse: Pulse) => Promise<void>,
): Promise<DriveEnd> {
  let pulse: Pulse | null = null;
  let stopping = false;
  let signals = 0;
  let forced = false;
  // Rejections of stop show in `finished` as well.
  const stop = (graceMs: number) => void pulse?.stop(graceMs).catch(() => {});
  const unsubscribe = runtime.events.subscribe((event) => {
    if (event.type === 'room.stopping') stopping = true;
    onEvent(event);
  });
  const offSignal = terminal.onSignal((signal) => {
    // The room does not depend on who reads its log.
    if (signal === 'SIGPIPE') return;
    signals += 1;
    forced = stopping || signals > 1;
    stopping = true;
    stop(forced ? 0 : GRACE_MS);
  });
  let served: Awaited<ReturnType<Serve>> | null = null;
  let outputTrouble: RoomError | null = null;
  const offTrouble = terminal.onOutputTrouble((reason) => {
    outputTrouble = reason === null ? null : lostLog(reason);
    if (outputTrouble) terminal.writeError(`${outputTrouble.message}\n`);
    pulse?.note('output', outputTrouble);
  });
  // A promise that nobody waited for is trouble to be told, and no end of the room.
  const onRejection = (error: unknown) => {
    if (pulse === null) throw error;
    pulse.onTrouble(error);
  };
  process.on('unhandledRejection', onRejection);
  const giveBack = keepOutputToTheLog();
  try {
    pulse = await runtime.startPulse(mode);
    if (outputTrouble) pulse.note('output', outputTrouble);
    if (signals > 0) stop(forced ? 0 : GRACE_MS);
    await onStarted?.(pulse);
    served = (await serve?.(runtime, pulse, effects)) ?? null;
    const { turns, failed } = await pulse.finished;
    return { turns, failed, stopped: signals > 0, forced };
  } finally {
    await served?.close();
    giveBack();
    process.off('unhandledRejection', onRejection);
    offSignal();
    offTrouble();
    unsubscribe();
  }
}

/** What a library or a provider from a file prints goes to standard error: readers of the log get lines of the log. */
function keepOutputToTheLog(): () => void {
  const { console: usual } = globalThis;
  globalThis.console = new Console(process.stderr, process.stderr);
  return () => {
    globalThis.console = usual;
  };
}

function lostLog(reason: string): RoomError {
  return new RoomError(
    'io',
    `standard output can't be written (${reason}); the room runs on without its log`,
    {
      hint: 'make room where it goes, or start the room again with another',
    },
  );
}

function tellEvent(
  { terminal, paint, json, effects }: UpOptions,
  event: RoomEvent,
  isRepeat: ReturnType<typeof createRepeatFilter>,
): void {
  const at = effects.now();
  if (json) {
    const { type, ...rest } = event;
    terminal.write(
      `${JSON.stringify({ at: new Date(at).toISOString(), type, ...(snakeKeys(rest) as object) })}\n`,
    );
    return;
  }
  const lines = renderEvent(event, { paint, columns: terminal.columns(), at });
  if (!isRepeat(event, lines !== '')) terminal.write(lines);
}

const label = (paint: Paint, text: string) => paint('bold', text.padEnd(8));

function banner({ runtime, paint, terminal, exitWhenIdle }: UpOptions): string {
  const { limits, defaultAgent } = runtime.config();
  const others = [...runtime.agents().keys()].filter((agent) => agent !== defaultAgent);
  const agents = [`${defaultAgent} (default)`, ...others].map(cleanLine).join(', ');
  const end = exitWhenIdle ? 'ends when nothing is left to do' : terminal.outIsTerminal ? 'Ctrl-C stops' : '';
  return [
    `${label(paint, 'Room')}${cleanLine(runtime.room.dir)}`,
    `${label(paint, 'Agents')}${agents}`,
    `${label(paint, 'Turns')}at most ${limits.total} at once, ${limits.task} of them for tasks`,
    ...(end === '' ? [] : [paint('dim', end)]),
    '',
  ]
    .join('\n')
    .concat('\n');
}

/** A room without its API goes on, and says so. */
async function openApi(options: UpOptions, pulse: Pulse): Promise<void> {
  const { api, runtime, effects, terminal, paint, json } = options;
  if (api === undefined) return;
  const served = await api
    .open({ runtime, effects, heard: pulse.heard.count, workers: pulse.workers })
    .catch((error: unknown) => {
      if (!(error instanceof RoomError)) throw error;
      pulse.note('api', error);
      return null;
    });
  if (served === null) return;
  runtime.events.emit({ type: 'api.ready', url: served.url, socket: served.socketPath });
  watchTrouble(api, options, pulse);
  if (json) return;
  const { url, outside, newToken, tokenPath } = served;
  const board = outside === null ? url : `${outside}, here ${url}`;
  const how = paint('dim', '`taskroom open` leads into it');
  if (url !== null) terminal.write(`${label(paint, 'Board')}${board}  ${how}\n`);
  // A log that is a file would keep it.
  const kept = paint('dim', `kept in ${tokenPath}`);
  const token = terminal.outIsTerminal ? `${newToken}  ${kept}` : kept;
  if (newToken !== null) terminal.write(`${label(paint, 'Token')}${token}\n`);
}

// A certificate ends while the room runs, too.
const LOOK_MS = 3_600_000;
/** Said again as long as it lasts: a log is read from its end. */
const REMIND_LOOKS = 24;

/** What keeps other machines from the API is trouble of the room until that is over, and is told again each day. */
function watchTrouble(api: PreparedApi, { runtime, effects }: UpOptions, pulse: Pulse): void {
  let looks = 0;
  let timer: Timer | null = null;
  const look = () => {
    const trouble = api.trouble(effects.now());
    pulse.note('api', trouble);
    if (trouble === null) looks = 0;
    else if (looks > 0 && looks % REMIND_LOOKS === 0)
      runtime.events.emit({ type: 'room.trouble', message: trouble.message, hint: trouble.hint ?? null });
    if (trouble !== null) looks += 1;
    timer = effects.setTimer(LOOK_MS, look, true);
  };
  look();
  runtime.events.subscribe(({ type }) => {
    if (type === 'room.stopping') timer?.cancel();
  });
}
