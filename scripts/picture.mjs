// Draws what a terminal shows as an SVG: `tmux capture-pane -e -p | node scripts/picture.mjs > docs/picture.svg`.
// Knows the escape codes taskroom uses: bold, dim, inverse and the eight colours.
import { readFileSync } from 'node:fs';

const COLOURS = {
  30: '#45475a',
  31: '#f38ba8',
  32: '#a6e3a1',
  33: '#f9e2af',
  34: '#89b4fa',
  35: '#f5c2e7',
  36: '#94e2d5',
  37: '#bac2de',
  90: '#6c7086',
};
const CELL = { width: 8.4, height: 19 };
const MARGIN = 18;

const lines = readFileSync(0, 'utf8').replace(/\s+$/, '').split('\n');
const columns = Math.max(...lines.map((line) => plain(line).length));
const width = Math.ceil(columns * CELL.width + 2 * MARGIN);
const height = lines.length * CELL.height + 2 * MARGIN + 14;

process.stdout.write(`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" fill="#cdd6f4">
<title>taskroom top beside the example room, in a terminal</title>
<rect width="100%" height="100%" rx="10" fill="#1e1e2e"/>
${['#f38ba8', '#f9e2af', '#a6e3a1'].map((fill, at) => `<circle cx="${MARGIN + at * 18}" cy="18" r="5.5" fill="${fill}"/>`).join('')}
${lines.map(drawLine).join('\n')}
</svg>
`);

function drawLine(line, row) {
  const y = MARGIN + 14 + (row + 1) * CELL.height - 4;
  let column = 0;
  let style = {};
  const parts = [];
  for (const [, codes, text] of line.matchAll(/(?:\x1b\[([\d;]*)m)|([^\x1b]+)/g)) {
    if (text === undefined) {
      style = codes.split(';').reduce(applyCode, style);
      continue;
    }
    if (text.trim() !== '' || style.inverse) parts.push(drawText(text, column, y, style));
    column += text.length;
  }
  return parts.join('');
}

function drawText(text, column, y, { bold, dim, colour, inverse }) {
  const start = column + (text.length - text.trimStart().length);
  const shown = text.trim();
  const attributes = [
    `x="${(MARGIN + start * CELL.width).toFixed(1)}" y="${y}"`,
    `textLength="${(shown.length * CELL.width).toFixed(1)}" lengthAdjust="spacingAndGlyphs" xml:space="preserve"`,
    inverse ? 'fill="#1e1e2e"' : colour ? `fill="${colour}"` : '',
    bold ? 'font-weight="bold"' : '',
    dim ? 'opacity="0.6"' : '',
  ];
  const back = inverse
    ? `<rect x="${(MARGIN + column * CELL.width).toFixed(1)}" y="${y - 14}" width="${(text.length * CELL.width).toFixed(1)}" height="${CELL.height}" fill="${colour ?? '#cdd6f4'}"/>`
    : '';
  return `${back}<text ${attributes.filter(Boolean).join(' ')}>${escapeXml(shown)}</text>`;
}

function applyCode(style, code) {
  if (code === '' || code === '0') return {};
  if (code === '1') return { ...style, bold: true };
  if (code === '2') return { ...style, dim: true };
  if (code === '7') return { ...style, inverse: true };
  if (code === '27') return { ...style, inverse: false };
  if (code === '22') return { ...style, bold: false, dim: false };
  if (code === '39') return { ...style, colour: undefined };
  return COLOURS[code] ? { ...style, colour: COLOURS[code] } : style;
}

function plain(line) {
  return line.replace(/\x1b\[[\d;]*m/g, '');
}

function escapeXml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
