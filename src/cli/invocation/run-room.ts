// Runs a room in the foreground to its end: by signal, another process or idleness. It leaves no listener.
import { Console } from 'node:console';
import { join } from 'node:path';
import type { OpenRoom, Pulse, PulseOptions } from '../../app/open-room.ts';
import { RoomError } from '../../core/errors.ts';
import { eventJson, type RoomEvent } from '../../core/events.ts';
import type { Timer } from '../../effects.ts';
import type { ApiOptions, PreparedApi } from '../../server/shapes/faces.ts';
import type { Call, Options, Serve } from '../command.ts';
import { INTERRUPTED, OK } from '../exit-codes.ts';
import { cleanLine } from '../lines/display-text.ts';
import { createRepeatFilter, renderEvent, renderSyncProgress } from '../lines/event-lines.ts';
import { createSyncWatch } from '../lines/progress.ts';
import type { Paint } from '../paint.ts';
import { packageFolder, readVersion } from '../version.ts';

const GRACE_MS = 30_000; // The time of running turns after the first signal.

/** With `json` one JSON event a line is printed instead of the log. */
export interface UpOptions extends Pick<Call, 'terminal' | 'effects' | 'paint' | 'json' | 'serve'> {
  runtime: OpenRoom;
  exitWhenIdle: boolean;
  api?: PreparedApi; // Opened once the loop holds the room, closed before it ends.
  /** Returns what to print when the room is idle for the first time. */
  onFirstIdle?: (runtime: OpenRoom) => Promise<string>;
}

/** Returns the exit code: 0, or 130 when it was interrupted. @throws RoomError as `startPulse` */
export async function runUp(options: UpOptions): Promise<number> {
  const { runtime, terminal, json, effects } = options;
  if (!json) terminal.write(banner(options));
  const watch = json ? null : watchSyncs(options);
  const isRepeat = createRepeatFilter();
  let firstIdle: Promise<void> | null = null;
  const tellIdle = async () => terminal.write((await options.onFirstIdle?.(runtime)) ?? '');
  const { forced } = await driveUntilEnd(
    options,
    { command: 'up', exitWhenIdle: options.exitWhenIdle, beforeRelease: async () => options.api?.close() },
    (event) => {
      watch?.see(event);
      if (json) terminal.write(`${eventJson(event, effects.now())}\n`);
      else printEvent(options, event, isRepeat);
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

const LEDGERS = 3; // A ledger that is damaged again and again is a fault of the disk.

/** Runs a room, and opens it again without a ledger when its ledger was damaged and set aside. */
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

/** Prints the progress of long syncs, until it is closed. */
export const watchSyncs = ({ terminal, paint, effects }: Pick<UpOptions, 'terminal' | 'paint' | 'effects'>) =>
  createSyncWatch(effects, (chore, text) => {
    const style = { paint, columns: terminal.columns(), at: effects.now() };
    terminal.write(renderSyncProgress(chore, text, style));
  });

/** Starts the pulse, passes every event on, stops it on signals, and waits for its end.
 * @returns `stopped`: a signal asked for the end; `forced`: a second one made it end at once
 * @throws RoomError as `startPulse` */
export async function driveUntilEnd(
  { runtime, terminal, effects, serve }: Pick<UpOptions, 'runtime' | 'terminal' | 'effects' | 'serve'>,
  mode: PulseOptions,
  onEvent: (event: RoomEvent) => void,
  onStarted?: (pulse: Pulse) => Promise<void>,
) {
  let pulse: Pulse | null = null;
  let stopping = false;
  let signals = 0;
  let forced = false;
  // A rejection of stop shows in `finished` as well.
  const stop = (graceMs: number) => void pulse?.stop(graceMs).catch(() => {});
  const unsubscribe = runtime.events.subscribe((event) => {
    if (event.type === 'room.stopping') stopping = true;
    onEvent(event);
  });
  const offSignal = terminal.onSignal((signal) => {
    // The room runs on without a reader of its log.
    if (signal === 'SIGPIPE') return;
    signals += 1;
    forced = stopping || signals > 1;
    stopping = true;
    stop(forced ? 0 : GRACE_MS);
  });
  let served: Awaited<ReturnType<Serve>> | null = null;
  let outputTrouble: RoomError | null = null;
  const offTrouble = terminal.onOutputTrouble((reason) => {
    const message = `standard output can't be written (${reason}); the room runs on without its log`;
    const hint = 'make room where it goes, or start the room again with another';
    outputTrouble = reason === null ? null : new RoomError('io', message, { hint });
    if (outputTrouble) terminal.writeError(`${outputTrouble.message}\n`);
    pulse?.note('output', outputTrouble);
  });
  // A rejection that nobody awaited is printed as trouble, and does not end the room.
  const onRejection = (error: unknown) => {
    if (pulse === null) throw error;
    pulse.onTrouble(error);
  };
  process.on('unhandledRejection', onRejection);
  // What a library or a loaded provider prints goes to stderr: stdout holds only the log.
  const { console: usual } = globalThis;
  globalThis.console = new Console(process.stderr, process.stderr);
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
    globalThis.console = usual;
    process.off('unhandledRejection', onRejection);
    offSignal();
    offTrouble();
    unsubscribe();
  }
}

function printEvent(up: UpOptions, event: RoomEvent, isRepeat: ReturnType<typeof createRepeatFilter>): void {
  const { runtime, terminal, paint, effects } = up;
  const at = effects.now();
  const lines = renderEvent(event, { paint, columns: terminal.columns(), at, titleOf: runtime.titleOf });
  if (!isRepeat(event, lines !== '')) terminal.write(lines);
}

const label = (paint: Paint, text: string) => paint('bold', text.padEnd(8));

function banner({ runtime, paint, terminal, exitWhenIdle }: UpOptions): string {
  const { limits, defaultAgent } = runtime.config();
  const others = [...runtime.agents().keys()].filter((agent) => agent !== defaultAgent);
  const agents = [`${defaultAgent} (default)`, ...others].map(cleanLine).join(', ');
  const end = exitWhenIdle ? 'ends when nothing is left to do' : terminal.outIsTerminal ? 'Ctrl-C stops' : '';
  const lines = [
    `${label(paint, 'Room')}${cleanLine(runtime.room.dir)}`,
    `${label(paint, 'Agents')}${agents}`,
    `${label(paint, 'Turns')}at most ${limits.total} at once, ${limits.task} of them for tasks`,
    ...(end === '' ? [] : [paint('dim', end)]),
  ];
  return `${lines.join('\n')}\n\n`;
}

/** A room whose API can't be opened runs on, with trouble. */
async function openApi(options: UpOptions, pulse: Pulse): Promise<void> {
  const { api, runtime, effects, terminal, paint, json } = options;
  if (api === undefined) return;
  const served = await api
    .open({ runtime, effects, heard: pulse.heard.count, workers: pulse.workers, webhooks: pulse.webhooks })
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
  // Never the token itself: whoever sees the screen or the log would have it.
  if (newToken !== null) terminal.write(`${label(paint, 'Token')}${paint('dim', `kept in ${tokenPath}`)}\n`);
}

const LOOK_MS = 3_600_000; // A certificate may end while the room runs.
const REMIND_LOOKS = 24;

/** Trouble that keeps other machines from the API is noted as long as it lasts, and printed again each day. */
function watchTrouble(api: PreparedApi, { runtime, effects }: UpOptions, pulse: Pulse): void {
  let looks = 0;
  let timer: Timer | null = null;
  const look = () => {
    const trouble = api.trouble(effects.now());
    pulse.note('api', trouble);
    if (trouble !== null && looks > 0 && looks % REMIND_LOOKS === 0)
      runtime.events.emit({ type: 'room.trouble', message: trouble.message, hint: trouble.hint ?? null });
    looks = trouble === null ? 0 : looks + 1;
    timer = effects.setTimer(LOOK_MS, look, true);
  };
  look();
  runtime.events.subscribe(({ type }) => {
    if (type === 'room.stopping') timer?.cancel();
  });
}

const MAX_PORT = 65_535;

export function packageFacts(): Pick<ApiOptions, 'version' | 'boardDir'> {
  return { version: readVersion(), boardDir: join(packageFolder(), 'dist', 'web') };
}

/** @throws RoomError `bad_input` */
export function readApiOptions(options: Options, now: number): ApiOptions {
  const shared = packageFacts();
  const port = options.whole('port', 0);
  const [certPath, keyPath] = [options.text('tls-cert'), options.text('tls-key')];
  if (port !== null && port > MAX_PORT)
    throw new RoomError('bad_input', `--port is ${port}`, { hint: `expected 0 to ${MAX_PORT}` });
  if ((certPath === null) !== (keyPath === null))
    throw new RoomError('bad_input', 'TLS needs both', { hint: 'give --tls-cert and --tls-key' });
  if (options.flag('no-http')) {
    if (port !== null || options.text('host') !== null)
      throw new RoomError('bad_input', '--no-http opens no port', { hint: 'leave --port and --host out' });
    return { tcp: null, ...shared };
  }
  return {
    ...shared,
    tcp: {
      host: options.text('host') ?? '127.0.0.1',
      port,
      names: options.texts('name'),
      tls: certPath === null || keyPath === null ? null : { certPath, keyPath, now },
      withoutTls: options.flag('without-tls'),
    },
  };
}
