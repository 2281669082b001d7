import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll } from 'vitest';
import { createModelRunner } from '../../../src/agents/model/model.ts';
import { runnerConformance } from '../../conformance/runner.ts';
import { forAllTests } from '../../support/for-each-test.ts';
import { readIfThere } from '../prepared-turn.ts';
import { agentOf, answersIn, KEY, startToldModel } from './told-model.ts';

const server = forAllTests(() => startToldModel());

beforeAll(() => {
  // The line that its model runs is told by the model's name.
  server.think = (request) => {
    const command = Buffer.from(request.model, 'base64url').toString();
    if (answersIn(request).length > 0) return { content: 'Ran it.' };
    return { toolCalls: [{ name: 'run_command', arguments: JSON.stringify({ command }) }] };
  };
});

runnerConformance('model', {
  create: createModelRunner,
  options: (line) => ({
    agent: { ...agentOf(server.url), permissions: 'run', model: Buffer.from(line).toString('base64url') },
    env: KEY,
  }),
  promptOnStdin: false,
  talks: true,
  endsWithLine: false,
  keepsOutput: false,
  printed({ dir }) {
    const folder = join(dir, 'programs');
    const names = readdirSync(dir).includes('programs') ? readdirSync(folder) : [];
    return names.map((name) => readIfThere(join(folder, name, 'output.log'))).join('');
  },
});
