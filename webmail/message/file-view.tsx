import { useEffect, useState } from 'react';
import { ModalDialog } from '../dialogs/modal-dialog.tsx';
import { words } from '../words/words.ts';

/** A file that is shown, by a type of the list of shown types, never by another. */
export type ShownFile = { readonly name: string; readonly type: string; readonly charset: string | null; readonly blob: Blob };

/** Characters of a text file that are shown. */
const maxCharacters = 1_000_000;

const textOf = async (blob: Blob, charset: string | null): Promise<string> => {
  const octets = await blob.slice(0, 4 * maxCharacters).arrayBuffer();
  try {
    return new TextDecoder(charset ?? 'utf-8').decode(octets);
  } catch {
    return new TextDecoder().decode(octets);
  }
};

export type FileViewProps = { readonly file: ShownFile; readonly onSave: () => void; readonly onClose: () => void };

/** Shows a file above the page: an image, a text, or a PDF in the browser's own viewer. */
export const FileView = ({ file, onSave, onClose }: FileViewProps) => {
  const { name, type, charset, blob } = file;
  const [url, setUrl] = useState<string | undefined>();
  const [text, setText] = useState<string | undefined>();
  useEffect(() => {
    if (type === 'text/plain') {
      void textOf(blob, charset).then(setText);
      return undefined;
    }
    const made = URL.createObjectURL(new Blob([blob], { type }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [blob, type, charset]);
  return (
    <ModalDialog label={name} className="file-view" onClose={onClose}>
      {(close) => (
        <>
          <header>
            <h2>
              <bdi>{name}</bdi>
            </h2>
            <button type="button" onClick={onSave}>
              {words.save}
            </button>
            <button type="button" onClick={close}>
              {words.close}
            </button>
          </header>
          {text !== undefined && (
            <>
              {text.length > maxCharacters && <p className="note">{words.fileCut}</p>}
              <pre tabIndex={0} dir="auto">
                {text.slice(0, maxCharacters)}
              </pre>
            </>
          )}
          {url !== undefined && (type === 'application/pdf' ? <iframe title={name} src={url} /> : <img src={url} alt={name} />)}
        </>
      )}
    </ModalDialog>
  );
};
