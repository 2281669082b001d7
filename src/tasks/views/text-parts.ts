// A task's text in its parts, for those who show it part by part or change one: the reading of it stays ours.
import { readSections } from '../../core/task/body/sections.ts';
import { readTaskText } from '../../core/task/body/task-text.ts';

/** @param body what stands below the front matter */
export function textParts(body: string) {
  const { sections, foreign, preamble } = readSections(body);
  const hasTask = sections.some(({ name, known }) => known && name === 'Task');
  const others = sections.filter(({ name, known }) => !(known && name === 'Task'));
  const above = hasTask && foreign === null ? body.slice(preamble.start, preamble.end).trim() : '';
  return {
    task_text: readTaskText(body),
    is_foreign: foreign !== null,
    sections: [
      ...(above === '' ? [] : [{ name: '', text: above }]),
      ...others.map(({ name, contentStart, end }) => ({ name, text: body.slice(contentStart, end).trim() })),
    ],
  };
}
