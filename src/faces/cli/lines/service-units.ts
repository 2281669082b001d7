// What systemd and launchd are told of a room: how it is started, stopped and started again, and what it may use. Paths
// and values are quoted as each reads them.

/** What starts the room. */
export interface Service {
  /** The room's folder, absolute. */
  room: string;
  /** Node and the program, absolute. */
  command: readonly [node: string, program: string];
  /** Folders of the programs that agents need. */
  path: string;
  /** The person's home folder, absolute. */
  home: string;
  /** The unit's name, without its ending. */
  name: string;
}

export type ServiceManager = 'systemd' | 'launchd';

export interface ServiceUnit {
  /** Where it goes, below the home folder. */
  file: string;
  text: string;
}

/** Files and sockets at once: a watch a folder, and some for each turn. */
const OPEN_FILES = 65_536;
/** 30 s for turns, 5 s for what takes no notice of SIGTERM, and some to spare. */
const STOP_SECONDS = 60;
const AGAIN_SECONDS = 5;

export function serviceUnit(manager: ServiceManager, service: Service): ServiceUnit {
  return manager === 'systemd' ? systemdUnit(service) : launchdUnit(service);
}

function systemdUnit({ room, command, path, name }: Service): ServiceUnit {
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
function systemdText(value: string): string {
  return value.replaceAll('%', '%%');
}

function systemdValue(value: string): string {
  return `"${systemdText(value).replace(/["\\]/g, '\\$&')}"`;
}

/** A word of a command line, where $ begins a variable. */
function systemdWord(value: string): string {
  return /^[\w/.:@+=,-]+$/.test(value) ? value : systemdValue(value).replaceAll('$', '$$$$');
}

function launchdUnit({ room, command, path, home, name }: Service): ServiceUnit {
  const words = [...command, 'up', '--json', '--room', room];
  const text = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- Save as ~/Library/LaunchAgents/${name}.plist, then: launchctl bootstrap gui/$(id -u) ~/Library/LaunchAgents/${name}.plist
     Tokens and secrets go below PATH; keep the file readable by you alone then. -->
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${xml(name)}</string>
  <key>ProgramArguments</key>
  <array>
${words.map((word) => `    <string>${xml(word)}</string>`).join('\n')}
  </array>
  <key>WorkingDirectory</key>
  <string>${xml(room)}</string>
  <key>EnvironmentVariables</key>
  <dict>
    <key>PATH</key>
    <string>${xml(path)}</string>
  </dict>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>ThrottleInterval</key>
  <integer>${AGAIN_SECONDS}</integer>
  <key>ExitTimeOut</key>
  <integer>${STOP_SECONDS}</integer>
  <!-- The daemon ends its turns itself; their programs outlive a daemon that was killed. -->
  <key>AbandonProcessGroup</key>
  <true/>
  <key>SoftResourceLimits</key>
  <dict>
    <key>NumberOfFiles</key>
    <integer>${OPEN_FILES}</integer>
  </dict>
  <key>StandardOutPath</key>
  <string>${xml(home)}/Library/Logs/${xml(name)}.log</string>
  <key>StandardErrorPath</key>
  <string>${xml(home)}/Library/Logs/${xml(name)}.log</string>
</dict>
</plist>
`;
  return { file: `Library/LaunchAgents/${name}.plist`, text };
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

function xml(value: string): string {
  return value.replace(/[&<>]/g, (sign) => ENTITIES[sign]!);
}
