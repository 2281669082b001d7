// `taskroom service install --print`: the unit that keeps a room running, for systemd or launchd.
import { homedir } from 'node:os';
import { basename, resolve } from 'node:path';
import { RoomError } from '../../core/errors.ts';
import type { CommandModule } from '../command.ts';
import { OK } from '../exit-codes.ts';

/** Folders and programs are absolute paths. */
interface Service {
  room: string;
  command: readonly [node: string, program: string];
  path: string; // The PATH of the agents' programs.
  home: string;
  name: string; // The unit's name, without its extension.
}

type ServiceManager = 'systemd' | 'launchd';

const OPEN_FILES = 65_536; // Files and sockets at once: a watch a folder, and some for each turn.
const STOP_SECONDS = 60; // 30 s for turns, 5 s for programs that ignore SIGTERM, and a reserve.
const AGAIN_SECONDS = 5;

/** The text of a unit, and its file below the home folder. */
export const serviceUnit = (manager: ServiceManager, service: Service) =>
  manager === 'systemd' ? systemdUnit(service) : launchdUnit(service);

function systemdUnit({ room, command, path, name }: Service) {
  const start = [...command, 'up', '--json', '--room', room].map(systemdWord).join(' ');
  const text = `# Save as ~/.config/systemd/user/${name}.service, then:
#   systemctl --user daemon-reload && systemctl --user enable --now ${name}
#   loginctl enable-linger "$USER"          keeps it running when you log out
#   journalctl --user -u ${name} -f
# One watch a folder: where rooms are many, sudo sysctl fs.inotify.max_user_watches=524288 fs.inotify.max_user_instances=1024
[Unit]
Description=taskroom: ${systemdText(room)}
StartLimitIntervalSec=300
StartLimitBurst=10

[Service]
ExecStart=${start}
WorkingDirectory=${systemdText(room)}
Environment=${systemdValue(`PATH=${path}`)}
# Tokens and secrets, NAME=value a line, readable by you alone; it may be missing.
EnvironmentFile=-%h/.config/taskroom/env
# SIGTERM goes to the daemon alone, which ends its turns itself. Programs of turns outlive a daemon that was killed, and
# the next one takes them up.
KillMode=process
TimeoutStopSec=${STOP_SECONDS}
Restart=on-failure
RestartSec=${AGAIN_SECONDS}
LimitNOFILE=${OPEN_FILES}

[Install]
WantedBy=default.target
`;
  return { file: `.config/systemd/user/${name}.service`, text };
}

/** % begins a specifier everywhere. */
const systemdText = (value: string) => value.replaceAll('%', '%%');
const systemdValue = (value: string) => `"${systemdText(value).replace(/["\\]/g, '\\$&')}"`;
/** A word of a command line, where $ begins a variable. */
const systemdWord = (value: string) =>
  /^[\w/.:@+=,-]+$/.test(value) ? value : systemdValue(value).replaceAll('$', '$$$$');

function launchdUnit({ room, command, path, home, name }: Service) {
  const log = `${home}/Library/Logs/${name}.log`;
  const keys = {
    Label: name,
    ProgramArguments: [...command, 'up', '--json', '--room', room],
    WorkingDirectory: room,
    EnvironmentVariables: { PATH: path },
    RunAtLoad: true,
    KeepAlive: { SuccessfulExit: false },
    ThrottleInterval: AGAIN_SECONDS,
    ExitTimeOut: STOP_SECONDS,
    // The daemon ends its turns itself; their programs outlive a daemon that was killed.
    AbandonProcessGroup: true,
    SoftResourceLimits: { NumberOfFiles: OPEN_FILES },
    ...{ StandardOutPath: log, StandardErrorPath: log },
  };
  const text = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
${plistOf(keys).join('\n')}
</plist>
`;
  return { file: `Library/LaunchAgents/${name}.plist`, text };
}

type Plist = string | number | boolean | readonly Plist[] | { readonly [key: string]: Plist };

function plistOf(value: Plist): string[] {
  if (typeof value === 'string') return [`<string>${xml(value)}</string>`];
  if (typeof value !== 'object')
    return [typeof value === 'number' ? `<integer>${value}</integer>` : `<${value}/>`];
  const inside = Array.isArray(value)
    ? value.flatMap(plistOf)
    : Object.entries(value).flatMap(([key, each]) => [`<key>${key}</key>`, ...plistOf(each)]);
  const kind = Array.isArray(value) ? 'array' : 'dict';
  return [`<${kind}>`, ...inside.map((line) => `  ${line}`), `</${kind}>`];
}

const xml = (value: string) => value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const MANAGERS: readonly ServiceManager[] = ['systemd', 'launchd'];

export const command: CommandModule = {
  hereOnly: 'its unit starts the daemon, with the Node, the folder and the PATH of that machine',
  about:
    'Prints the unit that starts the room with your session and again after a crash, for systemd or launchd, with the limits it needs.',
  arguments: [{ name: 'action', about: 'install: the only one there is' }],
  options: [
    ['--print', 'print it; nothing is put in place for you'],
    ['--for <manager>', "systemd or launchd; this system's own when left out"],
  ],
  examples: {
    'taskroom service install --print > ~/.config/systemd/user/taskroom-room.service':
      'then: systemctl --user enable --now taskroom-room',
    'taskroom service install --print --for launchd > ~/Library/LaunchAgents/taskroom-room.plist': 'macOS',
    'taskroom service install --print --room ~/room': 'look at it first',
  },
  notes: `It names this Node, this program, the room and the PATH of this shell: run it where your agents' programs are found,
and again after one of them moved. How to put it in place stands at its top.
With --json: {"manager","file","text"}; file is below your home folder.`,
  async run(call) {
    const off = (message: string, hint: string) => new RoomError('bad_input', message, { hint });
    const [action] = call.words;
    if (action !== 'install')
      throw off('service takes the word install', 'expected: taskroom service install --print');
    if (!call.options.flag('print'))
      throw off(
        'nothing is put in place by itself',
        'print it with --print, look at it, and save it where its first line says',
      );
    const word = call.options.text('for') ?? (process.platform === 'darwin' ? 'launchd' : 'systemd');
    const manager = MANAGERS.find((each) => each === word);
    if (manager === undefined)
      throw off(`--for is ${JSON.stringify(word)}`, `expected one of ${MANAGERS.join(', ')}`);
    const room = resolve(await call.findRoom());
    if (/[\r\n]/.test(room))
      throw off(
        "the room's folder has a line break in its name",
        'give the folder another name: no unit can hold this one',
      );
    const unit = serviceUnit(manager, {
      room,
      command: [process.execPath, resolve(process.argv[1] ?? 'taskroom')],
      path: call.terminal.env.PATH ?? '/usr/local/bin:/usr/bin:/bin',
      home: call.terminal.env.HOME ?? homedir(),
      name: `taskroom-${basename(room).replace(/[^A-Za-z0-9_-]+/g, '-') || 'room'}`,
    });
    call.terminal.write(call.json ? `${JSON.stringify({ manager, ...unit })}\n` : unit.text);
    return OK;
  },
};
