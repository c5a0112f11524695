import type { RefObject } from 'react';
import type { EditorHandle } from './editor/editor.tsx';

/** The elements in which the text of a message is written: with format, or plain. The other one is null. */
export type TextRefs = { readonly editor: RefObject<EditorHandle | null>; readonly plain: RefObject<HTMLTextAreaElement | null> };

export const focusText = ({ editor, plain }: TextRefs): void => (editor.current ?? plain.current)?.focus();

/** Puts text where the cursor is. */
export const insertText = (refs: TextRefs, text: string): void => {
  focusText(refs);
  // The browser's own command can be undone, and what is set by a script can't.
  if (refs.editor.current) refs.editor.current.insertText(text);
  else document.execCommand('insertText', false, text);
};
