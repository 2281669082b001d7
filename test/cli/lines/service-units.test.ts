// Units as systemd and launchd read them, also where paths hold what is a sign to them.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { serviceUnit } from '../../../src/cli/commands/service.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const plain = {
  room: '/home/me/room',
  command: ['/usr/bin/node', '/usr/bin/taskroom'],
  path: '/usr/bin:/bin',
  home: '/home/me',
  name: 'taskroom-room',
} as const;
const odd = { ...plain, room: '/home/me/50% of "my" $HOME\\ & <rooms>', path: '/a b:/50%:/c' };

test('systemd: started in the foreground, stopped by its own grace, started again after a crash', () => {
  const { file, text } = serviceUnit('systemd', plain);
  expect(file).toBe('.config/systemd/user/taskroom-room.service');
  for (const line of [
    'ExecStart=/usr/bin/node /usr/bin/taskroom up --json --room /home/me/room',
    ...['Environment="PATH=/usr/bin:/bin"', 'KillMode=process', 'TimeoutStopSec=60', 'Restart=on-failure'],
    'LimitNOFILE=65536',
  ])
    expect(text.split('\n')).toContain(line);
});

test('systemd: signs in paths stay themselves', () => {
  const lines = serviceUnit('systemd', odd).text.split('\n');
  expect(lines).toContain(
    'ExecStart=/usr/bin/node /usr/bin/taskroom up --json --room "/home/me/50%% of \\"my\\" $$HOME\\\\ & <rooms>"',
  );
  expect(lines).toContain('WorkingDirectory=/home/me/50%% of "my" $HOME\\ & <rooms>');
  expect(lines).toContain('Environment="PATH=/a b:/50%%:/c"');
});

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

test.runIf(hasSystemd)('systemd itself finds nothing wrong with it, and would', () => {
  const dir = tempFolder('taskroom-unit');
  const verify = (text: string): string[] => {
    const file = join(dir, 'taskroom-room.service');
    writeFileSync(file, text);
    const said = spawnSync('systemd-analyze', ['verify', '--user', '--man=no', file], {
      encoding: 'utf8',
      env: { ...process.env, XDG_RUNTIME_DIR: dir },
    });
    return said.stderr.split('\n').filter((line) => line.includes('taskroom-room'));
  };

  const { text } = serviceUnit('systemd', { ...odd, command: [process.execPath, '/bin/sh'] });
  expect(verify(text)).toEqual([]);
  expect(verify(text.replace('LimitNOFILE=', 'LimitNOFILE=many'))).toHaveLength(1);
});

test('launchd: the same in its words, and signs in paths stay themselves', () => {
  const { file, text } = serviceUnit('launchd', odd);
  expect(file).toBe('Library/LaunchAgents/taskroom-room.plist');
  expect(text).toContain('<string>/home/me/50% of "my" $HOME\\ &amp; &lt;rooms&gt;</string>');
  expect(text).toContain('<string>/home/me/Library/Logs/taskroom-room.log</string>');
  // A comment that holds two dashes is none.
  for (const [, comment] of text.matchAll(/<!--([\s\S]*?)-->/g)) expect(comment).not.toContain('--');
  expect(text).toMatch(/<key>KeepAlive<\/key>\s*<dict>\s*<key>SuccessfulExit<\/key>\s*<false\/>/);
});
