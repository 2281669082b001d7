// Words of agents as they go to a tracker: they call nobody there by name, and show no picture that lies on this machine.
import { scanBlocks } from '../../core/markdown/blocks.ts';

// An address (`ann@example.org`) calls nobody.
const MENTION = /(?<![\p{L}\p{N}_.+-])@(?=[\p{L}\p{N}])/gu;
const PICTURE = /!\[([^\]\n]*)\]\(\s*<?(?!https?:|data:)([^)>\s]+)[^)\n]*\)/gi;
/** Has no width: who reads the name sees no difference. */
const BREAK = '\u200b';

/** The text with mentions broken and local pictures named. Fenced code, which calls nobody, stays as it is where `keepsCode`. */
export function withoutCalls(text: string, keepsCode = true): string {
  if (!/[@!]/.test(text)) return text;
  let result = '';
  let at = 0;
  for (const { start, end } of keepsCode ? scanBlocks(text).fences : []) {
    result += broken(text.slice(at, start)) + text.slice(start, end);
    at = end;
  }
  return result + broken(text.slice(at));
}

function broken(text: string): string {
  return text
    .replace(PICTURE, (_, alt: string, path: string) => `*(picture: ${alt || nameOf(path)}; it is not sent)*`)
    .replace(MENTION, `@${BREAK}`);
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
