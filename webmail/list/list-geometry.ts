/** The height of a row in pixels, in `app.css` too. */
export const rowHeight = 76;

/** Rows that are mounted above and below what is visible. */
const overscan = 8;

/** The tallest element that browsers lay out rightly. A longer list is scaled. */
const maxListHeight = 15_000_000;

/** The visible part of a list in pixels. */
export type ListView = { readonly top: number; readonly height: number };

/** Computes which rows of a list are visible and which are mounted, as half-open ranges, and how far the list is scrolled in pixels. */
export const listGeometry = (total: number, view: ListView) => {
  const height = Math.min(total * rowHeight, maxListHeight);
  // Above the tallest height, the scrollbar moves by more than what it shows.
  const scale = total * rowHeight > maxListHeight ? (total * rowHeight - view.height) / (maxListHeight - view.height) : 1;
  const offset = view.top * scale;
  const [firstVisible, lastVisible] = [Math.floor(offset / rowHeight), Math.ceil((offset + view.height) / rowHeight)];
  const [first, last] = [Math.max(0, firstVisible - overscan), Math.min(total, lastVisible + overscan)];
  return { height, scale, offset, firstVisible, lastVisible, first, last };
};

/** Lists the rows that are mounted, with the active one also where it is elsewhere. */
export const mountedRows = (first: number, last: number, active: number, total: number): readonly number[] => {
  const indexes = Array.from({ length: Math.max(0, last - first) }, (_, index) => first + index);
  if (active < total && (active < first || active >= last)) indexes.push(active);
  return indexes;
};
