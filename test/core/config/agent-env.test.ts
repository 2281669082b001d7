import { expect, it } from 'vitest';
import { resolveAgentEnv } from '../../../src/core/config/agent-env.ts';

it('takes texts as they stand and looks named variables up', () => {
  const wanted = {
    A: '$HOME {B}',
    KEY: { from: 'WORK_KEY' },
    EMPTY: { from: 'NOTHING' },
    GONE: { from: 'NOT_SET' },
  };
  expect(resolveAgentEnv(wanted, { WORK_KEY: 's3cret', NOTHING: '', B: 'b' })).toEqual({
    env: { A: '$HOME {B}', KEY: 's3cret', EMPTY: '' },
    missing: ['NOT_SET'],
  });
});
