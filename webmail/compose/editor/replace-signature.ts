import { closeHistory } from 'prosemirror-history';
import { Fragment, type Node } from 'prosemirror-model';
import type { Command } from 'prosemirror-state';
import { schema } from './schema.ts';

/** The place of the last run of blocks that are equal to these. */
const placeOf = (doc: Node, blocks: Fragment): { readonly from: number; readonly to: number } | undefined => {
  for (let first = doc.childCount - blocks.childCount; first >= 0; first -= 1) {
    if (!blocks.content.every((block, index) => block.eq(doc.child(first + index)))) continue;
    const from = doc.children.slice(0, first).reduce((size, { nodeSize }) => size + nodeSize, 0);
    return { from, to: from + blocks.size };
  }
  return undefined;
};

const hasSeparator = (doc: Node): boolean => doc.children.some(({ textContent }) => textContent.trimEnd() === '--');

/** Puts the blocks of a signature in the place of those of another one, which stand unchanged, or at the end where there was none. */
export const replaceSignature =
  (before = Fragment.empty, after = Fragment.empty): Command =>
  ({ doc, tr }, dispatch) => {
    if (before.eq(after)) return false;
    const end = { from: doc.content.size, to: doc.content.size };
    // A signature that the person wrote or changed remains the only one.
    const place = before.size > 0 ? placeOf(doc, before) : hasSeparator(doc) ? undefined : end;
    if (!place) return false;
    const isAll = place.to - place.from === doc.content.size;
    // A step of its own, so that undo takes back nothing else.
    dispatch?.(closeHistory(tr.replaceWith(place.from, place.to, after.size === 0 && isAll ? schema.nodes.paragraph.create() : after)));
    return true;
  };
