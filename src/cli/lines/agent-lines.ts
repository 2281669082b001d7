// The events of a coding agent as text for a person: its words, its tool calls with their results, and what it used.
import type { AgentEvent, TurnUsage } from '../../core/rules/turn.ts';
import type { Paint } from '../paint.ts';
import { cleanLine } from './display-text.ts';

const SHOWN_LINES = 6;
const LONGEST_LINE = 200;

export function createAgentLines(paint: Paint): (events: readonly AgentEvent[]) => string {
  let isInWords = false;
  let used: TurnUsage | null = null;

  function show(event: AgentEvent): string {
    switch (event.type) {
      case 'tool':
        return `${paint('cyan', `▸ ${cleanLine(event.name)}`)}  ${cleanLine(event.input)}\n`;
      case 'result':
        return resultLines(event.text, event.failed, paint);
      case 'trouble':
        return `${paint('red', `✗ ${cleanLine(event.trouble.message)}`)}\n`;
      case 'line':
        return `${paint('dim', cleanLine(event.text))}\n`;
      case 'usage':
        used = event.usage;
        return '';
      case 'end':
        return used === null ? '' : `${paint('dim', usageLine(used))}\n`;
      default:
        return '';
    }
  }

  return (events) => {
    let text = '';
    for (const event of events) {
      if (event.type === 'text') {
        text += event.text;
        isInWords = event.partial === true && !event.text.endsWith('\n');
        if (event.partial !== true && !event.text.endsWith('\n')) text += '\n';
        continue;
      }
      const shown = show(event);
      if (shown !== '' && isInWords) {
        text += '\n';
        isInWords = false;
      }
      text += shown;
    }
    return text;
  };
}

function resultLines(text: string, failed: boolean, paint: Paint): string {
  const lines = text.replace(/\s+$/, '').split('\n');
  if (lines.length === 1 && lines[0] === '') return failed ? `${paint('red', '  ✗ failed')}\n` : '';
  const shown = lines.slice(0, SHOWN_LINES).map((line) => `  ${short(cleanLine(line))}`);
  const more = lines.length - shown.length;
  if (more > 0) shown.push(`  … ${more} more ${more === 1 ? 'line' : 'lines'}`);
  if (failed) shown[0] = `  ✗ ${shown[0]!.trimStart()}`;
  return shown.map((line) => `${paint(failed ? 'red' : 'dim', line)}\n`).join('');
}

const short = (line: string) => (line.length <= LONGEST_LINE ? line : `${line.slice(0, LONGEST_LINE - 1)}…`);

function usageLine({ inputTokens, outputTokens, costUsd }: TurnUsage): string {
  const cost = costUsd === null ? '' : `, $${costUsd.toFixed(2)}`;
  return `used ${inputTokens} tokens in, ${outputTokens} out${cost}`;
}
