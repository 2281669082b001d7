import { expect, test } from 'vitest';
import { createRedactor, REDACTED, redactData } from '../../src/core/redact.ts';

test('M5: a value is taken out in every form it may come in, and of several lines each', () => {
  const redact = createRedactor(['ghp_abc+/12', 'first line 1\nsecond line 2', 'short', undefined]);
  expect(redact('a ghp_abc+/12 b ghp_abc%2B%2F12')).toBe(`a ${REDACTED} b ${REDACTED}`);
  expect(redact('"first line 1\\nsecond line 2"')).toBe(`"${REDACTED}"`);
  expect(redact('only second line 2')).toBe(`only ${REDACTED}`);
  expect(redact('short words stay')).toBe('short words stay');
});

test('M5: data is redacted to its depth, and stays the same data otherwise', () => {
  const redact = createRedactor(['secret-value']);
  const event = { type: 'sync.failed', list: ['x', { why: 'Bearer secret-value' }], at: 1, none: null };
  expect(redactData(event, redact)).toEqual({ ...event, list: ['x', { why: `Bearer ${REDACTED}` }] });
});
