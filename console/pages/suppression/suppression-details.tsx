import { Alert, Box, SpaceBetween } from '@cloudscape-design/components';
import { useState } from 'react';
import { useAdminMutation, useAdminQuery } from '../../api/admin-api.tsx';
import { shownError } from '../../api/errors.ts';
import { Confirm } from '../../parts/forms/confirm.tsx';
import { findPath } from '../../parts/forms/message-search.tsx';
import { MethodButton } from '../../parts/forms/method-button.tsx';
import { DetailList } from '../../parts/text/details.tsx';
import { PageLink } from '../../parts/text/link.tsx';
import { DetailedTime } from '../../parts/text/time.tsx';
import { StateLabel } from '../../parts/text/values.tsx';
import { QueryView } from '../../parts/view/page.tsx';
import { suppressionWords } from '../../words/pages/sending.ts';
import { stateWords } from '../../words/states.ts';
import { complaintsOf, levelOf, type MessageClass, type Suppression } from './suppression-state.ts';

const time = (at: string | undefined) => at && <DetailedTime at={at} />;

/** The reports to clear: the bounces, or the complaints about a class of mail. */
type Asked = 'bounces' | MessageClass;

/** Asks for a confirmation that mail may be sent to the recipient again, and then clears the reports. */
const ClearQuestion = ({ recipient, asked, onClose }: { readonly recipient: string; readonly asked: Asked; readonly onClose: () => void }) => {
  const clearBounce = useAdminMutation('suppression', 'ClearBounceSuppression');
  const clearComplaint = useAdminMutation('suppression', 'ClearComplaintSuppression');
  const isBounce = asked === 'bounces';
  const title = isBounce ? suppressionWords.clearBounce : suppressionWords.clearComplaint;
  const clear = () => (asked === 'bounces' ? clearBounce.mutateAsync({ recipient }) : clearComplaint.mutateAsync({ recipient, message_class: asked }));
  return (
    <Confirm
      title={title}
      actionText={title}
      name={recipient}
      onConfirm={clear}
      done={suppressionWords.isCleared(recipient)}
      onClose={onClose}
      consequences={isBounce ? suppressionWords.clearBounceText : suppressionWords.clearComplaintText(suppressionWords.classes[asked])}
    />
  );
};

/** The meaning of the recipient's suppression level, and the action that it requires. */
const Meaning = ({ suppression }: { readonly suppression: Suppression }) => {
  const level = levelOf(suppression);
  const found = stateWords('suppression', level);
  return (
    found && (
      <Alert type={level === 'NONE' ? 'success' : level === 'SOFT' ? 'info' : 'warning'} header={found.label}>
        {found.sentence} {found.nextStep}
      </Alert>
    )
  );
};

/**
 * The reasons why a recipient is suppressed, and the actions that end the suppression.
 * @param isLinked whether to link to the recipient's messages.
 */
export const SuppressionDetails = ({ suppression, isLinked = true }: { readonly suppression: Suppression; readonly isLinked?: boolean }) => {
  const [asked, ask] = useState<Asked>();
  const { recipient, bounce } = suppression;
  return (
    <SpaceBetween size="l">
      <Meaning suppression={suppression} />
      {isLinked && <PageLink to={findPath(recipient)}>{suppressionWords.activity}</PageLink>}
      {bounce.count > 0 && (
        <SpaceBetween size="s">
          <Box variant="h3">{suppressionWords.columns.bounce}</Box>
          <DetailList
            columns={4}
            details={[
              { label: suppressionWords.level, value: <StateLabel kind="suppression" state={bounce.level} /> },
              { label: suppressionWords.count, value: suppressionWords.counts(bounce.count, bounce.soft_bounce_count) },
              { label: suppressionWords.firstSeen, value: time(bounce.first_occurrence) },
              { label: suppressionWords.lastSeen, value: time(bounce.last_occurrence) },
              { label: suppressionWords.kind, value: [bounce.last_bounce_type, bounce.last_bounce_sub_type].filter(Boolean).join(', ') },
              { label: suppressionWords.diagnostic, value: bounce.last_diagnostic_code },
              ...(bounce.level === 'SOFT' ? [{ label: suppressionWords.reenable, value: time(bounce.reenable_after) }] : []),
            ]}
          />
          {bounce.level !== 'NONE' && (
            <MethodButton needs={['suppression', 'ClearBounceSuppression']} onClick={() => ask('bounces')}>
              {suppressionWords.clearBounce}
            </MethodButton>
          )}
        </SpaceBetween>
      )}
      {complaintsOf(suppression).map((complaint) => (
        <SpaceBetween key={complaint.messageClass} size="s">
          <Box variant="h3">{suppressionWords.complaintsAbout(suppressionWords.classes[complaint.messageClass])}</Box>
          <DetailList
            columns={4}
            details={[
              { label: suppressionWords.level, value: <StateLabel kind="suppression" state={complaint.level} /> },
              { label: suppressionWords.count, value: complaint.count },
              { label: suppressionWords.firstSeen, value: time(complaint.first_occurrence) },
              { label: suppressionWords.lastSeen, value: time(complaint.last_occurrence) },
              { label: suppressionWords.kind, value: complaint.last_complaint_type },
            ]}
          />
          {complaint.level !== 'NONE' && (
            <MethodButton needs={['suppression', 'ClearComplaintSuppression']} onClick={() => ask(complaint.messageClass)}>
              {suppressionWords.clearComplaint}
            </MethodButton>
          )}
        </SpaceBetween>
      ))}
      {asked && <ClearQuestion recipient={recipient} asked={asked} onClose={() => ask(undefined)} />}
    </SpaceBetween>
  );
};

/** Looks up a recipient by address and shows the result. */
export const RecipientLookUp = ({ recipient }: { readonly recipient: string }) => {
  const query = useAdminQuery('suppression', 'GetSuppression', { recipient });
  if (query.error && shownError(query.error).kind === 'notFound') return <Alert type="success">{suppressionWords.notFound}</Alert>;
  return <QueryView query={query}>{({ suppression }) => <SuppressionDetails suppression={suppression} />}</QueryView>;
};
