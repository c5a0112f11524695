import type { Command, EditorState } from 'prosemirror-state';
import { useState, type KeyboardEvent } from 'react';
import { composerWords as words } from '../../words/composer-words.ts';
import { editorCommands, hasLink, setLink } from './editor-commands.ts';

/** The address of a link that a person typed. Undefined for one that leads nowhere. */
const linkOf = (text: string): string | undefined => {
  const url = URL.parse(text) ?? URL.parse(`https://${text}`);
  return url && ['https:', 'http:', 'mailto:', 'tel:'].includes(url.protocol) ? url.href : undefined;
};

export type EditorToolbarProps = { readonly state: EditorState; readonly run: (command: Command) => void };

/** Buttons of the editor. */
export const EditorToolbar = ({ state, run }: EditorToolbarProps) => {
  const [link, setLinkText] = useState<string | undefined>();
  const isLinked = hasLink(state);
  const add = (): void => {
    const href = linkOf(link ?? '');
    if (href === undefined) return;
    setLinkText(undefined);
    run(setLink(href));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') add();
    else if (event.key === 'Escape') setLinkText(undefined);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div className="editor-toolbar" role="toolbar" aria-label={words.format}>
      {editorCommands.map(({ name, run: command, isOn }) => (
        <button
          key={name}
          type="button"
          aria-pressed={isOn(state)}
          aria-label={words[name]}
          title={words[name]}
          className={`format-${name}`}
          // The selection remains where it is.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => run(command)}
        >
          {words.signs[name]}
        </button>
      ))}
      <button
        type="button"
        aria-pressed={isLinked}
        onMouseDown={(event) => event.preventDefault()}
        onClick={() => (isLinked ? run(setLink(undefined)) : setLinkText(''))}
      >
        {words.link}
      </button>
      {link !== undefined && (
        <span className="link-form">
          <input
            type="url"
            autoFocus
            aria-label={words.linkAddress}
            placeholder="https://"
            value={link}
            onChange={({ target }) => setLinkText(target.value)}
            onKeyDown={onKeyDown}
          />
          <button type="button" disabled={linkOf(link) === undefined} onClick={add}>
            {words.addLink}
          </button>
        </span>
      )}
    </div>
  );
};
