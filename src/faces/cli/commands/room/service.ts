// `taskroom service install --print`: the unit that keeps a room running, for systemd or launchd.
import { homedir } from 'node:os';
import { basename, resolve } from 'node:path';
import { RoomError } from '../../../../core/errors.ts';
import type { Call, CommandModule } from '../../command.ts';
import { OK } from '../../exit-codes.ts';
import { type ServiceManager, serviceUnit } from '../../lines/service-units.ts';

const MANAGERS: readonly ServiceManager[] = ['systemd', 'launchd'];

export const command: CommandModule = {
  hereOnly: 'its unit starts the daemon, with the Node, the folder and the PATH of that machine',
  about:
    'Prints the unit that starts the room with your session and again after a crash, for systemd or launchd, with the limits it needs.',
  arguments: [{ name: 'action', about: 'install: the only one there is' }],
  options: [
    { flags: '--print', about: 'print it; nothing is put in place for you' },
    { flags: '--for <manager>', about: "systemd or launchd; this system's own when left out" },
  ],
  examples: [
    [
      'taskroom service install --print > ~/.config/systemd/user/taskroom-room.service',
      'then: systemctl --user enable --now taskroom-room',
    ],
    [
      'taskroom service install --print --for launchd > ~/Library/LaunchAgents/taskroom-room.plist',
      'on macOS',
    ],
    ['taskroom service install --print --room ~/room', 'look at it first'],
  ],
  notes: `It names this Node, this program, the room and the PATH of this shell: run it where your agents' programs are found,
and again after one of them moved. How to put it in place stands at its top.
With --json: {"manager","file","text"}; file is below your home folder.`,
  async run(call) {
    const [action] = call.words;
    if (action !== 'install')
      throw new RoomError('bad_input', `${JSON.stringify(action)} is nothing to do with a service`, {
        hint: 'expected: taskroom service install --print',
      });
    if (!call.options.flag('print'))
      throw new RoomError('bad_input', 'nothing is put in place by itself', {
        hint: 'print it with --print, look at it, and save it where its first line says',
      });
    const manager = managerOf(call);
    const room = resolve(await call.findRoom());
    if (/[\r\n]/.test(room))
      throw new RoomError('bad_input', "the room's folder has a line break in its name", {
        hint: 'give the folder another name: no unit can hold this one',
      });
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

function managerOf({ options }: Call): ServiceManager {
  const word = options.text('for') ?? (process.platform === 'darwin' ? 'launchd' : 'systemd');
  const known = MANAGERS.find((manager) => manager === word);
  if (known !== undefined) return known;
  throw new RoomError('bad_input', `--for is ${JSON.stringify(word)}`, {
    hint: `expected one of ${MANAGERS.join(', ')}`,
  });
}
