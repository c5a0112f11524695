import { Schema, type DOMOutputSpec, type NodeSpec } from 'prosemirror-model';

/** A block whose direction follows its text. */
const block = (name: string, more: NodeSpec): NodeSpec => ({
  group: 'block',
  parseDOM: [{ tag: name }],
  toDOM: (): DOMOutputSpec => [name, { dir: 'auto' }, 0],
  ...more,
});

const spans = (element: HTMLElement) => ({ colspan: Number(element.getAttribute('colspan')) || 1, rowspan: Number(element.getAttribute('rowspan')) || 1 });
const cell = (name: string): NodeSpec => ({
  content: 'block+',
  attrs: { colspan: { default: 1 }, rowspan: { default: 1 } },
  isolating: true,
  parseDOM: [{ tag: name, getAttrs: spans }],
  toDOM: ({ attrs }): DOMOutputSpec => [name, { colspan: attrs['colspan'], rowspan: attrs['rowspan'] }, 0],
});

/** The elements that a person can write: few, and shown by every mail program. */
export const schema = new Schema({
  nodes: {
    doc: { content: 'block+' },
    paragraph: block('p', { content: 'inline*', parseDOM: [{ tag: 'p' }, { tag: 'div', priority: 20 }] }),
    heading: {
      ...block('h2', { content: 'inline*', defining: true }),
      attrs: { level: { default: 2 } },
      parseDOM: [1, 2, 3, 4].map((level) => ({ tag: `h${level}`, attrs: { level: Math.min(level, 3) } })),
      toDOM: ({ attrs }): DOMOutputSpec => [`h${attrs['level']}`, { dir: 'auto' }, 0],
    },
    blockquote: block('blockquote', { content: 'block+', defining: true }),
    code_block: {
      ...block('pre', { content: 'text*', marks: '', code: true, defining: true }),
      parseDOM: [{ tag: 'pre', preserveWhitespace: 'full' }],
      toDOM: (): DOMOutputSpec => ['pre', ['code', 0]],
    },
    horizontal_rule: { group: 'block', parseDOM: [{ tag: 'hr' }], toDOM: (): DOMOutputSpec => ['hr'] },
    bullet_list: block('ul', { content: 'list_item+' }),
    ordered_list: block('ol', { content: 'list_item+' }),
    list_item: { content: 'paragraph block*', defining: true, parseDOM: [{ tag: 'li' }], toDOM: (): DOMOutputSpec => ['li', 0] },
    table: { group: 'block', content: 'table_row+', isolating: true, parseDOM: [{ tag: 'table' }], toDOM: (): DOMOutputSpec => ['table', ['tbody', 0]] },
    table_row: { content: '(table_cell | table_header)*', parseDOM: [{ tag: 'tr' }], toDOM: (): DOMOutputSpec => ['tr', 0] },
    table_cell: cell('td'),
    table_header: cell('th'),
    text: { group: 'inline' },
    hard_break: { inline: true, group: 'inline', selectable: false, parseDOM: [{ tag: 'br' }], toDOM: (): DOMOutputSpec => ['br'] },
    image: {
      inline: true,
      group: 'inline',
      draggable: true,
      attrs: { cid: {}, alt: { default: '' } },
      parseDOM: [{ tag: 'img[data-cid]', getAttrs: (element) => ({ cid: element.dataset['cid'], alt: element.getAttribute('alt') ?? '' }) }],
      toDOM: ({ attrs }): DOMOutputSpec => ['img', { src: `cid:${attrs['cid']}`, alt: attrs['alt'] }],
    },
  },
  marks: {
    link: {
      attrs: { href: {} },
      inclusive: false,
      parseDOM: [{ tag: 'a[href]', getAttrs: (element) => ({ href: element.getAttribute('href') }) }],
      toDOM: ({ attrs }): DOMOutputSpec => ['a', { href: attrs['href'] }, 0],
    },
    strong: { parseDOM: [{ tag: 'strong' }, { tag: 'b' }], toDOM: (): DOMOutputSpec => ['strong', 0] },
    em: { parseDOM: [{ tag: 'em' }, { tag: 'i' }], toDOM: (): DOMOutputSpec => ['em', 0] },
    underline: { parseDOM: [{ tag: 'u' }], toDOM: (): DOMOutputSpec => ['u', 0] },
    strike: { parseDOM: [{ tag: 's' }, { tag: 'strike' }, { tag: 'del' }], toDOM: (): DOMOutputSpec => ['s', 0] },
    code: { parseDOM: [{ tag: 'code' }], toDOM: (): DOMOutputSpec => ['code', 0] },
  },
});
