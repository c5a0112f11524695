import Alert from '@cloudscape-design/components/alert';
import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState } from 'react';
import { useParams } from 'react-router';
import { useAdminMutation, useAdminQuery } from '../../api/admin-api.tsx';
import { listSource } from '../../api/use-list.ts';
import { ObjectNotFound } from '../../parts/view/not-found.tsx';
import { useNotifications } from '../../parts/view/notifications.tsx';
import type { PageDefinition } from '../../page/page-definition.ts';
import { Confirm } from '../../parts/forms/confirm.tsx';
import { Copyable } from '../../parts/text/copyable.tsx';
import { Details } from '../../parts/text/details.tsx';
import { FormDialog } from '../../parts/forms/form-dialog.tsx';
import { List } from '../../parts/lists/list-page.tsx';
import { ObjectLink } from '../../parts/text/object-link.tsx';
import { Page } from '../../parts/view/page-header.tsx';
import { PlainText } from '../../parts/text/plain-text.tsx';
import { QueryView } from '../../parts/view/query-view.tsx';
import { StateLabel } from '../../parts/lists/state-label.tsx';
import { DetailedTime, Time } from '../../parts/text/time.tsx';
import { supportWords } from '../../words/pages/operations.ts';
import { stateWords } from '../../words/states.ts';
import { Countdown, useNow } from './countdown.tsx';
import { UntilSelect } from './duration-select.tsx';
import { caseState, tierNames, type SupportCase } from './support-state.ts';

export const page: PageDefinition = {
  path: '/support/:caseId', title: supportWords.details, parent: '/support',
  methods: { support: ['ListSupportCases', 'SetSupportCaseTiers', 'SetSupportCaseActiveUntil', 'CloseSupportCase', 'ListSupportRoleAssumptions'] },
};

const Actions = ({ supportCase }: { readonly supportCase: SupportCase }) => {
  const [open, setOpen] = useState<'close' | 'tiers' | 'until'>();
  const close = useAdminMutation('support', 'CloseSupportCase');
  const { notify } = useNotifications();
  const { case_id, subject, allowed_tiers: tiers } = supportCase;
  const onClose = (): void => setOpen(undefined);
  // A form stays open when somebody else closes the case, so that its error can be read.
  return (
    <SpaceBetween direction="horizontal" size="xs">
      {supportCase.status === 'open' && (
        <SpaceBetween direction="horizontal" size="xs">
          <Button onClick={() => setOpen('tiers')}>{supportWords.tiers}</Button>
          <Button onClick={() => setOpen('until')}>{supportWords.until}</Button>
          <Button onClick={() => setOpen('close')}>{supportWords.closeCase}</Button>
        </SpaceBetween>
      )}
      {open === 'tiers' && (
        <FormDialog
          title={supportWords.tiers} description={supportWords.tiersText} service="support" method="SetSupportCaseTiers" fixed={{ case_id }}
          fields={['allowed_tiers']} suggested={{ allowed_tiers: tiers }} onClose={onClose} onDone={() => undefined}
        />
      )}
      {open === 'until' && (
        <FormDialog
          title={supportWords.until} description={supportWords.untilText} service="support" method="SetSupportCaseActiveUntil" fixed={{ case_id }}
          inputs={{ active_until: UntilSelect }} onClose={onClose} onDone={() => undefined}
        />
      )}
      {open === 'close' && (
        <Confirm
          title={supportWords.closeCase} consequences={supportWords.closeText} name={subject} actionText={supportWords.closeCase} onClose={onClose}
          onConfirm={async () => {
            await close.mutateAsync({ case_id });
            notify({ type: 'success', title: supportWords.closed });
          }}
        />
      )}
    </SpaceBetween>
  );
};

/** The assumptions of support roles by the case. */
const Assumptions = ({ caseId }: { readonly caseId: string }) => {
  const query = useAdminQuery('support', 'ListSupportRoleAssumptions', { case_id: caseId });
  return (
    <SpaceBetween size="s">
      {query.data?.live_lookup_complete === false && <Alert type="info">{supportWords.incomplete}</Alert>}
      <List
        name="role-assumptions" variant="part" title={supportWords.assumptions} idOf={({ event_id: id }) => id} empty={supportWords.noAssumptions}
        source={listSource(query, (response) => response.assumptions)}
        columns={[
          { id: 'time', header: supportWords.time, cell: ({ event_time: at }) => <Time at={at} />, text: ({ event_time: at }) => at },
          { id: 'principal', header: supportWords.principal, cell: ({ assuming_principal: who }) => who, text: ({ assuming_principal: who }) => who },
          { id: 'session', header: supportWords.session, cell: ({ role_session_name: name }) => name, text: ({ role_session_name: name }) => name },
          { id: 'role', header: supportWords.role, cell: ({ role_assumed: role }) => role, text: ({ role_assumed: role }) => role },
          { id: 'address', header: supportWords.address, cell: ({ source_ip_address: ip }) => ip, text: ({ source_ip_address: ip }) => ip },
        ]}
      />
    </SpaceBetween>
  );
};

const CasePage = ({ supportCase }: { readonly supportCase: SupportCase }) => {
  const { active_until: until, opened_at: openedAt, closed_at: closedAt, closed_by: closedBy } = supportCase;
  const state = caseState(supportCase, useNow(until));
  const { sentence, nextStep } = stateWords('supportCase', state) ?? {};
  const isOpen = state !== 'closed';
  return (
    <Page title={supportCase.subject} description={supportCase.description && <PlainText text={supportCase.description} />} actions={<Actions supportCase={supportCase} />}>
      {isOpen && <Alert type={state === 'active' ? 'warning' : 'info'}>{sentence} {nextStep}</Alert>}
      <Details
        title={supportWords.details}
        details={[
          { label: supportWords.columns.status, value: <StateLabel kind="supportCase" state={state} /> },
          { label: supportWords.columns.tiers, value: tierNames(supportCase) },
          { label: supportWords.activeUntil, value: <><DetailedTime at={until} />{isOpen && <> · <Countdown until={until} /></>}</> },
          { label: supportWords.columns.opened, value: <DetailedTime at={openedAt} /> },
          { label: supportWords.columns.by, value: <ObjectLink id={supportCase.opened_by} /> },
          { label: supportWords.externalId, value: <Copyable value={supportCase.external_id} name={supportWords.externalId} /> },
          ...(closedAt === undefined ? [] : [{ label: supportWords.closedAt, value: <DetailedTime at={closedAt} /> }]),
          ...(closedBy === undefined ? [] : [{ label: supportWords.closedBy, value: <ObjectLink id={closedBy} /> }]),
        ]}
      />
      <Assumptions caseId={supportCase.case_id} />
    </Page>
  );
};

export const SupportCasePage = () => {
  const { caseId } = useParams();
  const query = useAdminQuery('support', 'ListSupportCases', {});
  return (
    <QueryView query={query} variant="page">
      {({ cases }) => {
        const found = cases.find(({ case_id: id }) => id === caseId);
        return found ? <CasePage supportCase={found} /> : <ObjectNotFound />;
      }}
    </QueryView>
  );
};
