// A person's edit of one text: a line is changed, added or taken out.

/** @param word goes into the line that is typed */
export function changedLine(text: string, { b, c }: { b: number; c: number }, word: string): string {
  const lines = text.split('\n');
  const at = b % lines.length;
  switch (c % 4) {
    case 0:
      lines.splice(at, 0, `- ${word} added`);
      break;
    case 1:
      lines.push(HOSTILE[b % HOSTILE.length]!, word);
      break;
    case 2:
      if (lines.length > 1) lines.splice(at, 1);
      else lines[at] = word;
      break;
    default:
      lines[at] = `${word} changed`;
  }
  return lines.join('\n');
}

const HOSTILE = ['## Outcome', '```', '<!-- body 0123456789 -->', '- [ ] step', '---', ''];
