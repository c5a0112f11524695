import type { RequestOf, ResponseOf } from '../../api/admin-api.tsx';
import { suppressionWords } from '../../words/pages/sending.ts';

export type Suppression = ResponseOf<'suppression', 'ListSuppressions'>['suppressions'][number];
export type MessageClass = RequestOf<'suppression', 'ClearComplaintSuppression'>['message_class'];

export type Complaint = Suppression['complaints']['bulk'] & { readonly messageClass: MessageClass };

/** The complaints of a recipient, including cleared ones. */
export const complaintsOf = ({ complaints }: Suppression): Complaint[] =>
  (
    [
      ['TRANSACTIONAL', complaints.transactional],
      ['MAILING_LIST', complaints.mailing_list],
      ['BULK', complaints.bulk],
    ] as const
  )
    .filter(([, { count }]) => count > 0)
    .map(([messageClass, complaint]) => ({ messageClass, ...complaint }));

/** The classes of mail that complaints suppress. */
const complainedClasses = (suppression: Suppression): Complaint[] => complaintsOf(suppression).filter(({ level }) => level !== 'NONE');

/** The most severe level. After bounces all mail is suppressed, after complaints only the mail of one class. */
export const levelOf = (suppression: Suppression): 'NONE' | 'SOFT' | 'HARD' | 'PERMANENT' => {
  const { level } = suppression.bounce;
  if (level === 'HARD' || (level === 'SOFT' && complainedClasses(suppression).length === 0)) return level;
  return complainedClasses(suppression).length > 0 ? 'PERMANENT' : level;
};

/** Why the recipient is in the list, in one line. */
export const reasonOf = (suppression: Suppression): string => {
  const { bounce } = suppression;
  const classes = complainedClasses(suppression).map(({ messageClass }) => suppressionWords.classes[messageClass]);
  return (
    [
      ...(bounce.level === 'NONE' ? [] : [bounce.last_diagnostic_code || suppressionWords.bounced(bounce.count)]),
      ...(classes.length === 0 ? [] : [suppressionWords.complainedAbout(classes.join(', '))]),
    ].join('; ') || suppressionWords.cleared
  );
};

/** The time of the newest bounce or complaint of the recipient. */
export const lastOccurrence = (suppression: Suppression): string | undefined =>
  [suppression.bounce.last_occurrence, ...complaintsOf(suppression).map(({ last_occurrence: at }) => at)]
    .filter((at) => at !== undefined)
    .sort()
    .at(-1);
