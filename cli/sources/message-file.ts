import { isEmlx, isPartialEmlx, parseEmlx } from './emlx.ts';
import { keywordsOf } from './keywords.ts';
import { trash, type SourceFolder, type SourceItem } from './mail-source.ts';
import { headerFields, receivedDate } from './message-header.ts';

type MessageFile = {
  /** The place of the file, which ends with its name. */
  readonly place: string;
  readonly folder: SourceFolder;
  readonly content: Buffer;
  readonly modifiedAt: Date;
  readonly done: number;
};

const partialReason = 'Apple Mail keeps the attachments of this message in other files: it was imported without them';

const emlxItems = ({ place, folder, content, modifiedAt, done }: MessageFile): SourceItem[] => {
  const { message, flags, receivedAt, isCounted } = parseEmlx(content);
  const doubts = [
    ...(isCounted ? [] : ['the count of octets in its first line is wrong or missing: the message ends before the property list, or with the file']),
    ...(flags ? [] : ['it has no property list of Apple Mail with flags: it was imported without flags']),
  ];
  return [
    {
      kind: 'message',
      place,
      folders: [flags?.includes('\\Deleted') ? trash : folder],
      keywords: keywordsOf(flags ?? []),
      receivedAt: receivedAt ?? receivedDate(headerFields(message), modifiedAt),
      size: message.length,
      content: message,
      done,
    },
    ...(isPartialEmlx(place) ? [{ kind: 'problem', place: `${place}: attachments`, reason: partialReason, done } as const] : []),
    ...(message.length > 0 ? doubts.map((reason) => ({ kind: 'note', place, reason, done }) as const) : []),
  ];
};

/** The items of a file with one message: an `.eml`, or an `.emlx` of Apple Mail. */
export const messageFileItems = (file: MessageFile): SourceItem[] => {
  const { place, folder, content, modifiedAt, done } = file;
  if (isEmlx(place)) return emlxItems(file);
  return [
    {
      kind: 'message',
      place,
      folders: [folder],
      keywords: [],
      receivedAt: receivedDate(headerFields(content), modifiedAt),
      size: content.length,
      content,
      done,
    },
  ];
};
