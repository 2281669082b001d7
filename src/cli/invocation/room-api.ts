// The API beside a room in the foreground: read from the options, opened once the loop holds the room, told in one line.
import { join } from 'node:path';
import type { OpenRoom, Pulse } from '../../app/open-room.ts';
import { RoomError } from '../../core/errors.ts';
import type { Effects, Timer } from '../../effects.ts';
import type { ApiOptions, PreparedApi, ServedApi } from '../../server/shapes/faces.ts';
import type { Options } from '../command.ts';
import type { Paint } from '../paint.ts';
import type { Terminal } from '../terminal.ts';
import { packageFolder, readVersion } from '../version.ts';

const MAX_PORT = 65_535;

/** What the API tells of this package: its version, and the files of the board. */
export function packageFacts(): Pick<ApiOptions, 'version' | 'boardDir'> {
  return { version: readVersion(), boardDir: join(packageFolder(), 'dist', 'web') };
}

/**
 * @param now epoch ms
 * @throws RoomError `bad_input`
 */
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

interface RoomWithApi {
  api?: PreparedApi;
  runtime: OpenRoom;
  effects: Effects;
  terminal: Terminal;
  paint: Paint;
  json: boolean;
}

/** A room without its API goes on, and says so. */
export async function openApi(
  { api, runtime, effects, terminal, paint, json }: RoomWithApi,
  pulse: Pulse,
): Promise<void> {
  if (api === undefined) return;
  let served: ServedApi;
  try {
    served = await api.open({ runtime, effects, heard: pulse.heard.count, workers: pulse.workers });
  } catch (error) {
    if (!(error instanceof RoomError)) throw error;
    pulse.note('api', error);
    return;
  }
  runtime.events.emit({ type: 'api.ready', url: served.url, socket: served.socketPath });
  watchTrouble(api, { runtime, effects }, pulse);
  if (json) return;
  if (served.url !== null) {
    const where = served.outside === null ? served.url : `${served.outside}, here ${served.url}`;
    terminal.write(
      `${paint('bold', 'Board'.padEnd(8))}${where}  ${paint('dim', '`taskroom open` leads into it')}\n`,
    );
  }
  if (served.newToken === null) return;
  // A log that is a file would keep it.
  const where = paint('dim', `kept in ${served.tokenPath}`);
  const shown = terminal.outIsTerminal ? `${served.newToken}  ${where}` : where;
  terminal.write(`${paint('bold', 'Token'.padEnd(8))}${shown}\n`);
}

// A certificate ends while the room runs, too.
const LOOK_MS = 3_600_000;
/** Said again as long as it lasts: a log is read from its end. */
const REMIND_LOOKS = 24;

/** What keeps other machines from the API is trouble of the room until that is over, and is told again each day. */
function watchTrouble(
  api: PreparedApi,
  { runtime, effects }: Pick<RoomWithApi, 'runtime' | 'effects'>,
  pulse: Pulse,
): void {
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
