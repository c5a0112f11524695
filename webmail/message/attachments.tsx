import { useState, useSyncExternalStore } from 'react';
import { messageFileDrag } from '../context/composers.ts';
import { useMail } from '../context/mail-context.ts';
import type { BodyPart } from '../jmap/types.ts';
import { octets, words } from '../words/words.ts';
import { fileName } from './file-name.ts';
import { FileView, type ShownFile } from './file-view.tsx';
import { saveFile, shownTypes } from './save-file.ts';

/** Whether this browser shows files of a type: some have no viewer for PDF. */
const isShown = (type: string): boolean => shownTypes.has(type) && (type !== 'application/pdf' || navigator.pdfViewerEnabled);

/** The attachments of a message, which are read when they are opened or saved. */
export const Attachments = ({ parts }: { readonly parts: readonly BodyPart[] }) => {
  const { account, composers, download } = useMail();
  const takesFiles = useSyncExternalStore(composers.subscribe, composers.takesFiles);
  const [problem, setProblem] = useState('');
  const [shown, setShown] = useState<ShownFile | undefined>();
  if (parts.length === 0) return null;
  const read = (part: BodyPart, use: (blob: Blob) => void): void => {
    setProblem('');
    download(part).then(use, (error: Error) => setProblem(words.failed(error.message)));
  };
  const open = (part: BodyPart): void => read(part, (blob) => setShown({ name: fileName(part.name), type: part.type, charset: part.charset, blob }));
  const save = (part: BodyPart): void => read(part, (blob) => saveFile(blob, fileName(part.name)));
  return (
    <section className="attachments" aria-label={words.attachments}>
      <ul>
        {parts.map((part, index) => (
          <li
            key={part.partId ?? index}
            draggable={takesFiles}
            onDragStart={({ dataTransfer }) => {
              // Firefox drags nothing without data.
              dataTransfer.setData(messageFileDrag, '');
              composers.drag({ accountId: account.id, part });
            }}
            onDragEnd={() => composers.drag(undefined)}
          >
            <bdi>{fileName(part.name)}</bdi> <span className="quiet">{octets(part.size)}</span>
            {isShown(part.type) && (
              <button type="button" aria-label={`${words.open} ${fileName(part.name)}`} onClick={() => open(part)}>
                {words.open}
              </button>
            )}
            <button type="button" aria-label={`${words.save} ${fileName(part.name)}`} onClick={() => save(part)}>
              {words.save}
            </button>
            {takesFiles && (
              <button type="button" aria-label={`${words.attach} ${fileName(part.name)}`} onClick={() => composers.attach({ accountId: account.id, part })}>
                {words.attach}
              </button>
            )}
          </li>
        ))}
      </ul>
      {parts.length > 1 && (
        <button type="button" onClick={() => parts.forEach(save)}>
          {words.saveAll}
        </button>
      )}
      {problem && <p role="alert">{problem}</p>}
      {shown && <FileView file={shown} onSave={() => saveFile(shown.blob, shown.name)} onClose={() => setShown(undefined)} />}
    </section>
  );
};
