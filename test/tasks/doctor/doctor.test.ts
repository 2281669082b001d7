import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { checkWatcher } from '../../../src/tasks/doctor/doctor.ts';
import { tempFolder } from '../../support/temp-folder.ts';

function limits(values: Record<string, number>): string {
  const dir = tempFolder('taskroom-inotify');
  for (const [key, value] of Object.entries(values)) writeFileSync(path.join(dir, key), `${value}\n`);
  return dir;
}

test('low limits of the watcher are told with the command that raises them', () => {
  const found = checkWatcher(
    limits({ max_user_watches: 100, max_user_instances: 128, max_queued_events: 16 }),
  );
  expect(found).toMatchObject([
    { name: 'watcher', state: 'warn', hint: 'sudo sysctl fs.inotify.max_user_watches=8192' },
    { name: 'watcher', state: 'warn', hint: 'sudo sysctl fs.inotify.max_queued_events=8192' },
  ]);
  expect(found[0]!.text).toContain('fs.inotify.max_user_watches is 100');
});

test('enough, or no such limits on this system, is fine', () => {
  const enough = limits({ max_user_watches: 8192, max_user_instances: 128, max_queued_events: 16_384 });
  expect(checkWatcher(enough)).toMatchObject([
    { state: 'ok', text: '8192 watches allowed, one a folder is needed' },
  ]);
  expect(checkWatcher('/no/such/folder')).toMatchObject([{ state: 'ok', text: 'no limits known here' }]);
});
