import { useEffect, useMemo, useRef, useState, useSyncExternalStore, type ChangeEvent, type DragEvent, type KeyboardEvent } from 'react';
import { messageFileDrag } from '../context/composers.ts';
import { useMail } from '../context/mail-context.ts';
import { ConfirmDialog, type Question } from '../dialogs/confirm-dialog.tsx';
import { reasonOf } from '../jmap/requests.ts';
import type { Id } from '../jmap/types.ts';
import { useDarkScheme } from '../message/dark-colours.ts';
import { MessageFrame } from '../message/message-frame.tsx';
import { rasterTypes } from '../message/save-file.ts';
import { composerWords as words } from '../words/composer-words.ts';
import { words as appWords } from '../words/words.ts';
import { AddressField } from './address-field.tsx';
import { useBegun, type Begun, type ComposerProps } from './begin-composing.ts';
import './composer.css';
import type { Composition } from './composition.ts';
import { DraftFiles } from './draft-files.tsx';
import type { Draft } from './draft.ts';
import { Editor } from './editor/editor.tsx';
import { EmojiButton } from './emoji/emoji-button.tsx';
import { SendLater } from './send-later.tsx';
import { htmlSignatureOf, withSignature } from './signature.ts';
import type { TextRefs } from './text-refs.ts';

/** The URLs of images of a draft, by their Content-IDs. */
const useImages = (composition: Composition) => {
  const { download } = useMail();
  const files = useMemo(() => new Map<string, Promise<string | undefined>>(), [composition]);
  useEffect(() => () => void Promise.all(files.values()).then((urls) => urls.forEach((url) => url !== undefined && URL.revokeObjectURL(url))), [files]);
  return {
    add: (cid: string, file: File) => files.set(cid, Promise.resolve(URL.createObjectURL(new Blob([file], { type: file.type })))),
    url: (cid: string): Promise<string | undefined> => {
      const part = composition.state().draft.parts.find((each) => each.cid === cid);
      const known =
        files.get(cid) ??
        (part && rasterTypes.has(part.type)
          ? download(part).then(
              (blob) => URL.createObjectURL(new Blob([blob], { type: part.type })),
              () => undefined,
            )
          : Promise.resolve(undefined));
      files.set(cid, known);
      return known;
    },
  };
};

type BodyProps = Begun & TextRefs & { readonly draft: Draft; readonly onFiles: (files: readonly File[]) => void };

/** The text that a person writes: with format, or plain. */
const Body = ({
  composition,
  draft,
  clean,
  onFiles,
  editor,
  plain,
  images,
  autoFocus,
}: BodyProps & { readonly images: ReturnType<typeof useImages>; readonly autoFocus: boolean }) => {
  const [first] = useState(draft.html);
  if (draft.html !== null && clean) {
    return (
      <Editor
        ref={editor}
        html={first ?? draft.html}
        clean={clean}
        autoFocus={autoFocus}
        onChange={(written) => composition.change(written)}
        imageUrl={images.url}
        onFiles={onFiles}
      />
    );
  }
  return (
    <textarea
      ref={plain}
      className="plain-body"
      aria-label={words.message}
      dir="auto"
      spellCheck
      autoFocus={autoFocus}
      value={draft.text}
      onChange={({ target }) => composition.change({ text: target.value })}
    />
  );
};

const Original = ({
  composition,
  draft,
  images,
}: {
  readonly composition: Composition;
  readonly draft: Draft;
  readonly images: ReturnType<typeof useImages>;
}) => {
  const isDark = useDarkScheme();
  if (!draft.quote) return null;
  return (
    <section className="original" aria-label={words.original}>
      <button type="button" className="plain" onClick={() => composition.change({ quote: undefined })}>
        {words.removeOriginal}
      </button>
      <MessageFrame
        key={String(isDark)}
        html={draft.quote.html}
        withImages={false}
        isDark={isDark}
        isForced
        inlineImage={images.url}
        onRemoteImages={() => undefined}
        onTooComplex={() => undefined}
      />
    </section>
  );
};

/** The fields and the text of a message. */
const Fields = (props: Begun & TextRefs) => {
  const { composition, identities, people, note, editor } = props;
  const { draft, problems, isSending } = useSyncExternalStore(composition.subscribe, composition.state);
  const [hasCopies, setCopies] = useState(draft.cc.length + draft.bcc.length > 0);
  const isAnswer = draft.to.length > 0;
  const images = useImages(composition);
  const setSender = (identityId: Id): void => {
    const [before, after] = [draft.identityId, identityId].map((id) => identities.find((each) => each.id === id) ?? identities[0]!);
    composition.change({ identityId, ...(!editor.current && { text: withSignature(draft.text, before!, after!) }) });
    editor.current?.replaceSignature(htmlSignatureOf(before!), htmlSignatureOf(after!));
  };
  const addImages = (files: readonly File[]): void => {
    for (const file of files) {
      if (!editor.current || !rasterTypes.has(file.type)) {
        composition.addFile(file);
        continue;
      }
      const cid = `${crypto.randomUUID()}@${location.hostname}`;
      images.add(cid, file);
      composition.addFile(file, cid);
      editor.current.insertImage(cid, file.name);
    }
  };
  const field = (name: 'to' | 'cc' | 'bcc', autoFocus = false) => (
    <AddressField
      label={words[name]}
      addresses={draft[name]}
      onChange={(addresses) => composition.change({ [name]: addresses })}
      people={people}
      problems={problems}
      autoFocus={autoFocus}
    />
  );
  const { composers } = useMail();
  // The end of an earlier drag may have gone unheard.
  const draggedFile = ({ dataTransfer: { types } }: DragEvent) => (types.includes(messageFileDrag) ? composers.dragged() : undefined);
  const onDrop = (event: DragEvent): void => {
    const dragged = draggedFile(event);
    if (dragged) {
      event.preventDefault();
      composition.attach(dragged);
      return;
    }
    if (event.dataTransfer.files.length === 0 || event.defaultPrevented) return;
    event.preventDefault();
    for (const file of event.dataTransfer.files) composition.addFile(file);
  };
  return (
    <div
      className="composer-fields"
      inert={isSending}
      onDrop={onDrop}
      onDragOver={(event) => (draggedFile(event) || event.dataTransfer.types.includes('Files')) && event.preventDefault()}
    >
      {identities.length > 1 && (
        <label className="composer-field">
          <span>{words.from}</span>
          <select value={draft.identityId} onChange={({ target }) => setSender(target.value)}>
            {identities.map(({ id, name, email }) => (
              <option key={id} value={id}>
                {name === '' ? email : `${name} <${email}>`}
              </option>
            ))}
          </select>
        </label>
      )}
      {field('to', !isAnswer)}
      {hasCopies ? (
        <>
          {field('cc')}
          {field('bcc')}
        </>
      ) : (
        <button type="button" className="plain" onClick={() => setCopies(true)}>
          {words.cc}, {words.bcc}
        </button>
      )}
      <label className="composer-field">
        <span>{words.subject}</span>
        <input type="text" dir="auto" value={draft.subject} onChange={({ target }) => composition.change({ subject: target.value })} />
      </label>
      {note && (
        <p className="warning" role="note">
          {note}
        </p>
      )}
      <Body {...props} draft={draft} onFiles={addImages} images={images} autoFocus={isAnswer} />
      <Original composition={composition} draft={draft} images={images} />
      <DraftFiles composition={composition} />
    </div>
  );
};

/** The buttons below a message, and how far it is saved. */
const Footer = (props: Begun & TextRefs & { readonly onDiscard: () => void; readonly ask: (question: Question) => void }) => {
  const { composition, clean, maxSeconds, onDiscard, ask } = props;
  const { draft, save, isSending, problem, question, isOpenElsewhere } = useSyncExternalStore(composition.subscribe, composition.state);
  const files = useRef<HTMLInputElement>(null);
  const onFiles = ({ target }: ChangeEvent<HTMLInputElement>): void => {
    for (const file of target.files ?? []) composition.addFile(file);
    target.value = '';
  };
  const makePlain = (): void => ask({ question: words.askPlain, yes: words.plain, run: () => composition.makePlain() });
  return (
    <footer>
      {(problem || question) && (
        <p role="alert" className="warning">
          {problem || question}{' '}
          {question && (
            <button type="button" onClick={() => void composition.send(true)}>
              {words.sendAnyway}
            </button>
          )}
        </p>
      )}
      <div className="composer-buttons">
        <button type="button" className="primary" disabled={isSending} onClick={() => void composition.send(false)}>
          {isSending ? words.sending : words.send}
        </button>
        <SendLater composition={composition} maxSeconds={maxSeconds} />
        <button type="button" onClick={() => files.current?.click()}>
          {words.attach}
        </button>
        <input ref={files} type="file" multiple hidden aria-label={words.attach} onChange={onFiles} />
        <EmojiButton text={props} />
        {draft.html !== null && clean && (
          <button type="button" onClick={makePlain}>
            {words.plain}
          </button>
        )}
        <button type="button" onClick={onDiscard}>
          {words.discard}
        </button>
        <span role="status" className="quiet">
          {isOpenElsewhere ? words.openElsewhere : save.kind === 'failed' ? words.notSaved(save.reason) : words.saveStates[save.kind]}
        </span>
      </div>
    </footer>
  );
};

const noListener = (): (() => void) => () => undefined;

/** The work of a composer that the end of the page would stop: the page warns while a file is on its way, or a message is held here. */
const useWork = (composition: Composition | undefined) => {
  const state = useSyncExternalStore(composition?.subscribe ?? noListener, () => composition?.state());
  const isHeld = state?.isHeld ?? false;
  const isBusy = isHeld || (state?.uploads.length ?? 0) > 0;
  useEffect(() => {
    if (!isBusy) return undefined;
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, [isBusy]);
  return { isHeld };
};

type Size = 'small' | 'minimised' | 'full';

/** Writes a message, beside what a person reads. */
export const Composer = (props: ComposerProps) => {
  const { composers } = useMail();
  const begun = useBegun(props);
  const isReady = begun !== undefined && !(begun instanceof Error);
  const { isHeld } = useWork(isReady ? begun.composition : undefined);
  const section = useRef<HTMLElement>(null);
  // The focus returns to what the person read, and to the text when sending is undone.
  useEffect(() => {
    if (isHeld) return () => section.current?.querySelector<HTMLElement>('.ProseMirror, .plain-body')?.focus();
    const before = document.activeElement;
    return () =>
      queueMicrotask(() => {
        if (document.activeElement === document.body && before instanceof HTMLElement && before.isConnected) before.focus();
      });
  }, [isHeld]);
  const text: TextRefs = { editor: useRef(null), plain: useRef(null) };
  const [size, setSize] = useState<Size>('small');
  const [question, setQuestion] = useState<Question | undefined>();
  const [problem, setProblem] = useState('');
  const close = (): void => {
    if (!isReady) return composers.close(props.open.key);
    begun.composition.close().catch((error: unknown) => setProblem(words.notSaved(reasonOf(error))));
    return undefined;
  };
  const discard = (): void =>
    setQuestion({
      question: words.askDiscard,
      yes: words.discard,
      run: () => isReady && void begun.composition.discard().catch((error: unknown) => setProblem(reasonOf(error))),
    });
  const onKeyDown = (event: KeyboardEvent): void => {
    // Keys of the list act on what is read, not on what is written.
    event.stopPropagation();
    // The editor prevents the default of these keys without a use for them.
    const isTaken = event.defaultPrevented && !(event.target instanceof HTMLElement && event.target.closest('.ProseMirror'));
    if (isTaken || event.nativeEvent.isComposing || question) return;
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && isReady) void begun.composition.send(false);
    else if (event.key === 'Escape') close();
    else return;
    event.preventDefault();
  };
  return (
    <section
      ref={section}
      className={`composer is-${size}`}
      aria-label={appWords.newMessage}
      hidden={isHeld}
      onFocus={() => composers.setCurrent(props.open.key)}
      onKeyDown={onKeyDown}
    >
      <header>
        <h2>{isReady ? <Title composition={begun.composition} /> : appWords.newMessage}</h2>
        <button
          type="button"
          aria-label={size === 'minimised' ? words.restore : words.minimise}
          onClick={() => setSize(size === 'minimised' ? 'small' : 'minimised')}
        >
          {size === 'minimised' ? '▴' : '▁'}
        </button>
        <button type="button" aria-label={size === 'full' ? words.smaller : words.fullSize} onClick={() => setSize(size === 'full' ? 'small' : 'full')}>
          {size === 'full' ? '⤡' : '⤢'}
        </button>
        <button type="button" aria-label={words.close} onClick={close}>
          ✕
        </button>
      </header>
      {problem && <p role="alert">{problem}</p>}
      {begun instanceof Error && (
        <p role="alert" className="warning">
          {words.cannotOpen(begun.message)}
        </p>
      )}
      {!begun && <p className="quiet">{appWords.loading}</p>}
      {isReady && (
        <>
          <Fields {...begun} {...text} />
          <Footer {...begun} {...text} onDiscard={discard} ask={setQuestion} />
        </>
      )}
      {question && <ConfirmDialog {...question} onClose={() => setQuestion(undefined)} />}
    </section>
  );
};

const Title = ({ composition }: { readonly composition: Composition }) => {
  const { draft } = useSyncExternalStore(composition.subscribe, composition.state);
  return <bdi>{draft.subject || appWords.newMessage}</bdi>;
};
