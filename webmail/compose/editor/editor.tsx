import { DOMParser, DOMSerializer, type Node } from 'prosemirror-model';
import { EditorState } from 'prosemirror-state';
import { EditorView } from 'prosemirror-view';
import { useEffect, useRef, useState, type Ref } from 'react';
import { composerWords as words } from '../../words/composer-words.ts';
import type { Cleaner } from '../cleaning-frame.ts';
import { textOfHtml } from '../html-text.ts';
import { editorPlugins } from './editor-commands.ts';
import './editor.css';
import { EditorToolbar } from './editor-toolbar.tsx';
import { replaceSignature } from './replace-signature.ts';
import { schema } from './schema.ts';

/** The person's own text, as HTML and as text. */
export type Written = { readonly html: string; readonly text: string };

export type EditorHandle = {
  focus(): void;
  /** Puts an image of the message where the cursor is. */
  insertImage(cid: string, alt: string): void;
  /** Puts text where the cursor is. */
  insertText(text: string): void;
  /** Puts a signature, as HTML, in the place of an unchanged one. Undo takes it back. */
  replaceSignature(before: string, after: string): void;
};

export type EditorProps = {
  readonly ref: Ref<EditorHandle>;
  /** The HTML with which it begins. */
  readonly html: string;
  readonly clean: Cleaner;
  readonly autoFocus: boolean;
  readonly onChange: (written: Written) => void;
  /** A `blob:` URL of an image of the message. */
  readonly imageUrl: (cid: string) => Promise<string | undefined>;
  /** Takes files that were dropped or pasted. */
  readonly onFiles: (files: readonly File[]) => void;
};

const serializer = DOMSerializer.fromSchema(schema);
const parser = DOMParser.fromSchema(schema);

/** Writes into a document that loads nothing: an image's `cid:` would be requested in the page. */
const writtenOf = (doc: Node): Written => {
  const inert = document.implementation.createHTMLDocument();
  const box = inert.createElement('div');
  box.append(serializer.serializeFragment(doc.content, { document: inert }));
  for (const paragraph of box.querySelectorAll('p:empty')) paragraph.append(inert.createElement('br'));
  return { html: box.innerHTML, text: textOfHtml(box) };
};

const bodyOf = (html: string, clean: Cleaner, isForced = false): Element | undefined => clean(html, 'shown', isForced)?.querySelector('body') ?? undefined;

/** Reads the person's own HTML. However long it is, it is shown: it was cleaned before. */
const docOf = (html: string, clean: Cleaner): Node | undefined => {
  const body = html === '' ? undefined : bodyOf(html, clean, true);
  // An empty line of HTML has a break, as `writtenOf` writes it, and one of the editor has none.
  for (const br of body?.querySelectorAll(':is(p, div, li, td, th) > br:only-child') ?? []) if (br.parentNode?.childNodes.length === 1) br.remove();
  return body && parser.parse(body);
};

const stateOf = (html: string, clean: Cleaner): EditorState => {
  const doc = docOf(html, clean);
  return EditorState.create({ schema, ...(doc && { doc }), plugins: [...editorPlugins()] });
};

/** Takes what was pasted or dropped: its files, or its HTML, cleaned. @returns whether it was taken; else it is text. */
const takeData = (view: EditorView, data: DataTransfer | null, { clean, onFiles }: Pick<EditorProps, 'clean' | 'onFiles'>, at?: number): boolean => {
  if (!data) return false;
  const html = data.getData('text/html');
  if (data.files.length > 0 && html === '') {
    onFiles([...data.files]);
    return true;
  }
  const body = html === '' ? undefined : bodyOf(html, clean);
  if (!body) return false;
  const slice = parser.parseSlice(body);
  view.dispatch((at === undefined ? view.state.tr.replaceSelection(slice) : view.state.tr.replaceRange(at, at, slice)).scrollIntoView());
  return true;
};

const createView = (element: HTMLElement, props: () => EditorProps, onState: (state: EditorState) => void): EditorView => {
  const view: EditorView = new EditorView(element, {
    state: stateOf(props().html, props().clean),
    attributes: { role: 'textbox', 'aria-multiline': 'true', 'aria-label': words.message, spellcheck: 'true', dir: 'auto' },
    dispatchTransaction(transaction) {
      view.updateState(view.state.apply(transaction));
      onState(view.state);
      if (transaction.docChanged) props().onChange(writtenOf(view.state.doc));
    },
    nodeViews: {
      image({ attrs }) {
        const dom = document.createElement('img');
        dom.alt = String(attrs['alt']);
        void props()
          .imageUrl(String(attrs['cid']))
          .then((url) => url !== undefined && Object.assign(dom, { src: url }));
        return { dom };
      },
    },
    // The editor's own way would parse HTML that nobody cleaned.
    handleDOMEvents: {
      paste(_, event) {
        if (!takeData(view, event.clipboardData, props())) return false;
        event.preventDefault();
        return true;
      },
      drop(_, event) {
        if (view.dragging) return false;
        const at = view.posAtCoords({ left: event.clientX, top: event.clientY })?.pos;
        if (!takeData(view, event.dataTransfer, props(), at)) return false;
        event.preventDefault();
        return true;
      },
    },
  });
  return view;
};

/** Edits what a person writes. What it begins with does not change it later. */
export const Editor = (props: EditorProps) => {
  const element = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | undefined>(undefined);
  const current = useRef(props);
  current.current = props;
  const [state, setState] = useState<EditorState | undefined>();
  useEffect(() => {
    const made = createView(element.current!, () => current.current, setState);
    view.current = made;
    setState(made.state);
    if (props.autoFocus) made.focus();
    const handle: EditorHandle = {
      focus: () => made.focus(),
      insertImage: (cid, alt) => made.dispatch(made.state.tr.replaceSelectionWith(schema.nodes.image.create({ cid, alt })).scrollIntoView()),
      insertText: (text) => made.dispatch(made.state.tr.insertText(text).scrollIntoView()),
      replaceSignature: (before, after) => {
        const { clean } = current.current;
        replaceSignature(docOf(before, clean)?.content, docOf(after, clean)?.content)(made.state, made.dispatch.bind(made));
      },
    };
    const { ref } = current.current;
    const setHandle = (given: EditorHandle | null): void => {
      if (typeof ref === 'function') ref(given);
      else if (ref) ref.current = given;
    };
    setHandle(handle);
    return () => {
      setHandle(null);
      made.destroy();
    };
  }, []);
  return (
    <div className="editor">
      {state && (
        <EditorToolbar
          state={state}
          run={(command) => {
            command(view.current!.state, view.current!.dispatch.bind(view.current));
            view.current!.focus();
          }}
        />
      )}
      <div ref={element} className="editor-text" />
    </div>
  );
};
