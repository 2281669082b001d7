// Markdown of tasks, comments and trackers. Whoever wrote it may mean harm: what is shown has words, lists, tables and links,
// nothing that runs, loads, styles or can be taken for a part of this page.
import createDOMPurify from 'dompurify';
import { Marked } from 'marked';
import { useLayoutEffect, useRef } from 'preact/hooks';

const TAGS = [
  ...['p', 'br', 'hr', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'blockquote', 'pre', 'code', 'em', 'strong'],
  ...['del', 'ul', 'ol', 'li', 'table', 'thead', 'tbody', 'tr', 'th', 'td', 'a', 'kbd', 'sub', 'sup'],
];
const ATTRIBUTES = ['href', 'start', 'align'];
const LINKS = /^(?:https?|mailto):/i;

const marked = new Marked({
  gfm: true,
  breaks: false,
  renderer: {
    // A picture from elsewhere would tell its owner who looks, and when.
    image: ({ href, text }) =>
      `<a href="${escaped(href)}">${escaped(text === '' ? 'picture' : `picture: ${text}`)}</a>`,
    checkbox: ({ checked }) => (checked ? '☑ ' : '☐ '),
    html: ({ text }) => plainTags(text),
  },
});

// Comments are the room's own marks.
const COMMENT = /<!--[\s\S]*?-->/g;
const PLAIN_TAG = /&#60;(\/?(?:br|hr|p|b|i|em|strong|del|code|kbd|sub|sup|ul|ol|li|blockquote))\s*\/?&#62;/gi;

/** HTML among markdown is shown as it is written, but for tags that only shape words, bare of attributes. */
const plainTags = (html: string): string => escaped(html.replace(COMMENT, '')).replace(PLAIN_TAG, '<$1>');
const purify = createDOMPurify(window);
purify.addHook('afterSanitizeAttributes', (node) => {
  if (node.nodeName === 'A') markLink(node as HTMLAnchorElement);
  // Headings of a text stand below those of the page.
  node.removeAttribute('id');
});

/** It opens elsewhere, tells nothing of this page, and says where it goes. */
function markLink(link: HTMLAnchorElement): void {
  const href = link.getAttribute('href') ?? '';
  if (!LINKS.test(href) || !URL.canParse(href)) {
    link.removeAttribute('href');
    return;
  }
  const { protocol, host, pathname } = new URL(href);
  link.target = '_blank';
  link.rel = 'noopener noreferrer nofollow';
  link.title = href;
  const goes = protocol === 'mailto:' ? pathname : host;
  if (link.textContent?.trim() === href || link.textContent?.trim() === goes) return;
  link.append(` [${goes}]`);
}

const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (found) => `&#${found.charCodeAt(0)};`);

export const withoutFrontMatter = (text: string) => text.replace(/^\uFEFF?---\r?\n[\s\S]*?\r?\n---\r?\n/, '');

export function renderMarkdown(text: string): DocumentFragment {
  return purify.sanitize(marked.parse(text, { async: false }), {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ATTRIBUTES,
    ALLOWED_URI_REGEXP: LINKS,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
  });
}

/** Texts above this are shown as they are written: a parser must not hold up the page. */
const LONGEST = 200_000;

export function Markdown({ text }: { text: string }) {
  const box = useRef<HTMLDivElement>(null);
  const isLong = text.length > LONGEST;
  useLayoutEffect(() => {
    if (!isLong) box.current!.replaceChildren(renderMarkdown(text));
  }, [text, isLong]);
  if (isLong) return <pre class="plain-text">{text}</pre>;
  return <div class="markdown" dir="auto" ref={box} />;
}
