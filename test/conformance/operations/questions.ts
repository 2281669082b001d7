// Questions and the inbox.
import type { Case } from './case.ts';

export const QUESTIONS: Record<string, Case> = {
  'ask, once a key': async (tasks, actor) => {
    const asked = await tasks.call('ask', { ref: 'One', question: 'Which branch?', key: 'k' }, actor);
    const again = await tasks.call('ask', { ref: 'One', question: 'Which branch?', key: 'k' }, actor);
    const { waiting, questions } = await tasks.call('show', { ref: 'One' }, actor);
    const same = asked.question === again.question && questions[0]?.key === asked.question;
    return [same, asked.changed, again.changed, waiting, questions.map(({ author, text }) => [author, text])];
  },
  'ask, too long': (tasks, actor) => tasks.call('ask', { ref: 'One', question: 'x'.repeat(8_001) }, actor),
  'ask, another task': (tasks, actor) => tasks.call('ask', { ref: 'Other', question: 'Why?' }, actor),
  inbox: async (tasks, actor) => tasks.call('inbox', {}, actor).then((said) => said.inbox),
  'inbox, with a question': async (tasks, actor) => {
    await tasks.call('ask', { ref: 'One', question: 'Which branch?' }, actor);
    return (await tasks.call('inbox', {}, actor)).inbox.map(({ kind, name, text }) => [kind, name, text]);
  },
};
