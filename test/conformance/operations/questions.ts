// Questions and the inbox.
import type { Case } from './case.ts';

export const QUESTIONS: Record<string, Case> = {
  'ask, once a key': async (call) => {
    const asked = await call('ask', { ref: 'One', question: 'Which branch?', key: 'k' });
    const again = await call('ask', { ref: 'One', question: 'Which branch?', key: 'k' });
    const { waiting, questions } = await call('show', { ref: 'One' });
    const same = asked.question === again.question && questions[0]?.key === asked.question;
    return [same, asked.changed, again.changed, waiting, questions.map(({ author, text }) => [author, text])];
  },
  'ask, too long': (call) => call('ask', { ref: 'One', question: 'x'.repeat(8_001) }),
  'ask, another task': (call) => call('ask', { ref: 'Other', question: 'Why?' }),
  inbox: async (call) => call('inbox', {}).then((said) => said.inbox),
  'inbox, with a question': async (call) => {
    await call('ask', { ref: 'One', question: 'Which branch?' });
    return (await call('inbox', {})).inbox.map(({ kind, name, text }) => [kind, name, text]);
  },
};
