import { hasDueReport } from '../../core/sending/submission/submission.ts';
import type { FoundPart } from '../../core/sending/submission/submissions.ts';
import { referenceOf } from '../../core/sending/submission/submit-queue.ts';
import type { SubmitDependencies } from './submit-dependencies.ts';

/** Finishes a part: reports failures, deletes its outbox entry, and removes the message after the last part. */
export const finishPart = async (found: FoundPart, dependencies: SubmitDependencies): Promise<void> => {
  const reference = referenceOf(found.part);
  if (hasDueReport(found.part)) await dependencies.deliverReports(reference);
  const { submission } = found;
  if (await isLastPart(found, dependencies)) await dependencies.objects.remove([submission.message_key]);
};

const isLastPart = async ({ submission, part }: FoundPart, { submissions }: SubmitDependencies): Promise<boolean> => {
  if (submission.undo_status === 'canceled' || submission.parts === 1) return true;
  const all = (await submissions.find(part.submission_id))?.parts ?? [];
  return all.every(({ state }) => state === 'sent' || state === 'failed');
};
