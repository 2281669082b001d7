// `taskroom answer`: answers what an agent asked; its task goes on with the answer.
import { RoomError } from '../../../../core/errors.ts';
import type { CommandModule } from '../../command.ts';
import { readText } from '../../invocation/caller.ts';
import { tellChange } from '../../invocation/change-report.ts';

export const command: CommandModule = {
  about:
    'Answers the question that a task waits with: its agent goes on with the answer, in the same session. With no open question it is another answer to the newest one.',
  arguments: [
    { name: 'task', about: 'id, unique prefix of an id, file name or title' },
    { name: 'text', about: 'the answer, or - to read it from stdin' },
  ],
  options: [
    { flags: '--question <key>', about: 'which one, where several are open: its key, or how that begins' },
  ],
  examples: [
    ['taskroom answer "Fix the build" "The second one."', 'answer the open question'],
    ['taskroom answer 3npr - --question k2x < answer.txt', 'one of several, from a file'],
  ],
  notes:
    'The same as typing below the question in the file. taskroom inbox lists what is open. Only the person answers: inside a turn it is refused.\nWith --json: {"id","name","path","changed","question"}.',
  async run(call) {
    const [task, word] = call.words;
    if (task === undefined || word === undefined)
      throw new RoomError('bad_input', 'give the task and the answer', {
        hint: 'taskroom inbox lists what is asked',
      });
    const text = await readText(word, call.terminal);
    const runtime = await call.openRoom();
    const question = call.options.text('question');
    const answered = await runtime.tasks.call(
      'answer',
      { ref: task, text, ...(question === null ? {} : { question }) },
      runtime.caller,
    );
    const { waiting, paused } = await runtime.tasks.call('show', { ref: answered.id }, runtime.caller, true);
    const said = paused ? 'has its answer, and is paused' : waiting ? 'waits for another answer' : 'goes on';
    tellChange(call, answered, said);
  },
};
