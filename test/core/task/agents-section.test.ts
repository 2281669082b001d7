// The section of AGENTS.md: what people wrote around it stays byte for byte, and writing it again changes nothing.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withAgentsSection } from '../../../src/core/task/agents-section.ts';

const alone = withAgentsSection('');

test('it is added at the end, and stands alone where there was nothing', () => {
  expect(alone).toMatch(/^<!-- taskroom: begin.*\n## Tasks\n[\s\S]*<!-- taskroom: end -->\n$/);
  expect(withAgentsSection('# Mine\n\nwords')).toBe(`# Mine\n\nwords\n\n${alone}`);
  expect(withAgentsSection('# Mine\r\n')).toBe(`# Mine\r\n\r\n${alone.replaceAll('\n', '\r\n')}`);
});

test('an old one is replaced in its place', () => {
  const old = alone.replace('## Tasks', '## Old words');
  expect(withAgentsSection(`before\n\n${old}\nafter`)).toBe(`before\n\n${alone}\nafter`);
});

test('twice is once, and everything around it stays', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (before, after) => {
      const text = `${before}${alone}${after}`;
      const next = withAgentsSection(text);
      expect(withAgentsSection(next)).toBe(next);
      expect(withAgentsSection(withAgentsSection(before))).toBe(withAgentsSection(before));
      if (!text.includes('\r\n')) expect(next).toBe(text);
    }),
    { examples: [['x\r', '']] },
  );
});
