// A new operation is one new file: every face has it, and nothing else of the sources is touched.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { tempFolder } from '../support/temp-folder.ts';

const ROOT = join(import.meta.dirname, '..', '..');

const OPERATION = `
import * as z from 'zod';
import { optional, ref } from '../../core/shapes.ts';
import { operation } from '../operation.ts';

export const applaud = operation({ summary: 'clap for a task',
  needs: 'read',
  level: 'minimal',
  http: { method: 'get', path: '/api/tasks/{ref}/applause' },
  cli: { examples: [['taskroom applaud "Fix the build"', 'clap once']],
    said: ({ times }) => [\`clapped \${times} times\`],
  },
  tool: { name: 'applaud_task', names: { ref: 'id' } },
  input: () => ({ ref: ref(), times: optional(z.int(), 'how often') }),
  output: () => ({ times: z.int() }),
  run: async (_on, { times = 1 }) => ({ times }),
});
`;

// What a program says that holds a client, the document and the list of tools.
const ASKED = `
import { ROUTES } from './src/server/routes.ts';
import { openApiDocument } from './src/server/open-api.ts';
import { toolsFor } from './src/operations/tools/tool-list.ts';
import { createNodeEffects, openRuntime } from './src/index.ts';

const document = openApiDocument(ROUTES, '0');
const room = await openRuntime(process.argv[2], createNodeEffects());
const answer = await room.tasks.call('applaud', { taskId: 'One', times: 3 }, { kind: 'person' });
await room.close();
console.log(JSON.stringify({ place: document.paths['/api/tasks/{ref}/applause'].get.summary ?? document.paths['/api/tasks/{ref}/applause'].get.description,
  tools: toolsFor({ access: 'full', programs: true }).map(({ name }) => name).filter((name) => name.startsWith('applaud')),
  answer,
}));
`;

let dir: string;
let room: string;
beforeEach(() => {
  dir = tempFolder('taskroom-made-up');
  room = join(dir, 'room');
  for (const name of ['src', 'scripts', 'package.json'])
    cpSync(join(ROOT, name), join(dir, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(dir, 'node_modules'));
  mkdirSync(join(room, 'tasks'), { recursive: true });
  writeFileSync(join(room, 'tasks', 'One.md'), 'Do it.\n');
  mkdirSync(join(dir, 'src', 'operations', 'applause'));
  writeFileSync(join(dir, 'src', 'operations', 'applause', 'applaud.ts'), OPERATION);
  run('scripts/operation-index.mjs');
});

const run = (...words: string[]) =>
  execFileSync('node', words, { cwd: dir, encoding: 'utf8', env: { ...process.env, AGENT_ROOM: room } });

test('an operation that is one file is a command, a route, a tool and a call', () => {
  const taskroom = (...words: string[]) => run('src/bin/bin.ts', ...words);
  expect(taskroom('help', '--all')).toContain('clap for a task');
  expect(taskroom('applaud', '--help')).toContain('taskroom applaud "Fix the build"');
  expect(taskroom('applaud', 'One', '--times', '2')).toContain('clapped 2 times');
  expect(JSON.parse(taskroom('applaud', 'One', '--json'))).toEqual({ times: 1 });
  writeFileSync(join(dir, 'asked.ts'), ASKED);
  expect(JSON.parse(run('asked.ts', room))).toEqual({
    place: expect.stringContaining('Clap for a task'),
    tools: ['applaud_task'],
    answer: { times: 3 },
  });
});
