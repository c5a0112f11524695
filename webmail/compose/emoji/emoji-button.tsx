import { useState } from 'react';
import { lazyPart } from '../../dialogs/lazy-part.tsx';
import { composerWords as words } from '../../words/composer-words.ts';
import { focusText, insertText, type TextRefs } from '../text-refs.ts';

const EmojiPicker = lazyPart(async () => (await import('./emoji-picker.tsx')).EmojiPicker);

/** Opens the emoji. The chosen one comes into the text, where the focus returns. */
export const EmojiButton = ({ text }: { readonly text: TextRefs }) => {
  const [isOpen, setOpen] = useState(false);
  const close = (): void => {
    setOpen(false);
    focusText(text);
  };
  const choose = (emoji: string): void => {
    setOpen(false);
    insertText(text, emoji);
  };
  return (
    <>
      <button type="button" aria-expanded={isOpen} onClick={() => (isOpen ? close() : setOpen(true))}>
        {words.emoji}
      </button>
      {isOpen && <EmojiPicker onChoose={choose} onClose={close} />}
    </>
  );
};
