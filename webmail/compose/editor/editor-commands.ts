import { baseKeymap, chainCommands, exitCode, lift, setBlockType, toggleMark, wrapIn } from 'prosemirror-commands';
import { history, redo, undo } from 'prosemirror-history';
import { keymap } from 'prosemirror-keymap';
import type { MarkType, NodeType } from 'prosemirror-model';
import { liftListItem, sinkListItem, splitListItem, wrapInList } from 'prosemirror-schema-list';
import type { Command, EditorState, Plugin } from 'prosemirror-state';
import { schema } from './schema.ts';

const { nodes, marks } = schema;

/** Whether the selection is within a node of a type. */
const isWithin = ({ selection }: EditorState, type: NodeType): boolean => {
  const { $from } = selection;
  for (let depth = $from.depth; depth > 0; depth -= 1) if ($from.node(depth).type === type) return true;
  return false;
};

const hasMark = ({ selection, storedMarks, doc }: EditorState, type: MarkType): boolean =>
  selection.empty ? type.isInSet(storedMarks ?? selection.$from.marks()) !== undefined : doc.rangeHasMark(selection.from, selection.to, type);

const toggleList =
  (type: NodeType): Command =>
  (state, dispatch) =>
    isWithin(state, type) ? liftListItem(nodes.list_item)(state, dispatch) : wrapInList(type)(state, dispatch);

const toggleBlock =
  (type: NodeType): Command =>
  (state, dispatch) =>
    isWithin(state, type) ? setBlockType(nodes.paragraph)(state, dispatch) : setBlockType(type)(state, dispatch);

const toggleQuote: Command = (state, dispatch) => (isWithin(state, nodes.blockquote) ? lift(state, dispatch) : wrapIn(nodes.blockquote)(state, dispatch));

/** The command of a button of the editor. Its name is the name of its words. */
export type EditorCommand = { readonly name: EditorCommandName; readonly run: Command; readonly isOn: (state: EditorState) => boolean };
export type EditorCommandName = 'bold' | 'italic' | 'underline' | 'strike' | 'heading' | 'bulletList' | 'orderedList' | 'quote' | 'codeBlock';

const ofMark = (name: EditorCommandName, type: MarkType): EditorCommand => ({ name, run: toggleMark(type), isOn: (state) => hasMark(state, type) });
const ofNode = (name: EditorCommandName, type: NodeType, run: Command): EditorCommand => ({ name, run, isOn: (state) => isWithin(state, type) });

export const editorCommands: readonly EditorCommand[] = [
  ofMark('bold', marks.strong),
  ofMark('italic', marks.em),
  ofMark('underline', marks.underline),
  ofMark('strike', marks.strike),
  ofNode('heading', nodes.heading, toggleBlock(nodes.heading)),
  ofNode('bulletList', nodes.bullet_list, toggleList(nodes.bullet_list)),
  ofNode('orderedList', nodes.ordered_list, toggleList(nodes.ordered_list)),
  ofNode('quote', nodes.blockquote, toggleQuote),
  ofNode('codeBlock', nodes.code_block, toggleBlock(nodes.code_block)),
];

/** Sets or removes the link of the selection. Without a selection, the address itself becomes the text. */
export const setLink =
  (href: string | undefined): Command =>
  (state, dispatch) => {
    const { from, to, empty } = state.selection;
    const change = state.tr;
    if (href === undefined) change.removeMark(from, to, marks.link);
    else if (empty) change.insert(from, schema.text(href, [marks.link.create({ href })]));
    else change.addMark(from, to, marks.link.create({ href }));
    dispatch?.(change);
    return true;
  };

export const hasLink = (state: EditorState): boolean => hasMark(state, marks.link);

const insertBreak: Command = (state, dispatch) => {
  dispatch?.(state.tr.replaceSelectionWith(nodes.hard_break.create()).scrollIntoView());
  return true;
};

/** Keys of the editor. Tab leaves it, so that people without a mouse can. */
export const editorPlugins = (): readonly Plugin[] => [
  history(),
  keymap({
    'Mod-z': undo,
    'Mod-y': redo,
    'Shift-Mod-z': redo,
    'Mod-b': toggleMark(marks.strong),
    'Mod-i': toggleMark(marks.em),
    'Mod-u': toggleMark(marks.underline),
    'Mod-]': sinkListItem(nodes.list_item),
    'Mod-[': liftListItem(nodes.list_item),
    'Shift-Enter': chainCommands(exitCode, insertBreak),
    Enter: splitListItem(nodes.list_item),
  }),
  keymap(baseKeymap),
];
