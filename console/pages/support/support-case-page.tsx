import { Alert, SpaceBetween } from '@cloudscape-design/components';
import { useParams } from 'react-router';
import { useAdminMutation, useAdminQuery, type ResponseOf } from '../../api/admin-api.tsx';
import { listSource } from '../../api/use-list.ts';
import type { PageDefinition } from '../../page/page-definition.ts';
import { Confirm } from '../../parts/forms/confirm.tsx';
import { DialogButton, FormDialog } from '../../parts/forms/form-dialog.tsx';
import { textColumn, timeColumn, type Column } from '../../parts/lists/columns.tsx';
import { List } from '../../parts/lists/list-page.tsx';
import { Details } from '../../parts/text/details.tsx';
import { ObjectLink } from '../../parts/text/link.tsx';
import { PlainText } from '../../parts/text/plain-text.tsx';
import { DetailedTime } from '../../parts/text/time.tsx';
import { Copyable, StateLabel } from '../../parts/text/values.tsx';
import { ObjectNotFound, Page, QueryView } from '../../parts/view/page.tsx';
import { supportWords } from '../../words/pages/operations.ts';
import { stateWords } from '../../words/states.ts';
import { Countdown, useNow } from './countdown.tsx';
import { UntilSelect } from './duration-select.tsx';
import { caseState, tierNames, type SupportCase } from './support-state.ts';

export const page: PageDefinition = {
  path: '/support/:caseId',
  title: supportWords.details,
  parent: '/support',
  methods: { support: ['ListSupportCases', 'SetSupportCaseTiers', 'SetSupportCaseActiveUntil', 'CloseSupportCase', 'ListSupportRoleAssumptions'] },
};

const Actions = ({ supportCase: { case_id, subject, status, allowed_tiers: tiers } }: { readonly supportCase: SupportCase }) => {
  const close = useAdminMutation('support', 'CloseSupportCase');
  const isHidden = status !== 'open';
  return (
    <SpaceBetween direction="horizontal" size="xs">
      <DialogButton needs={['support', 'SetSupportCaseTiers']} text={supportWords.tiers} isHidden={isHidden}>
        {(onClose) => (
          <FormDialog
            title={supportWords.tiers}
            description={supportWords.tiersText}
            service="support"
            method="SetSupportCaseTiers"
            fixed={{ case_id }}
            fields={['allowed_tiers']}
            suggested={{ allowed_tiers: tiers }}
            onClose={onClose}
          />
        )}
      </DialogButton>
      <DialogButton needs={['support', 'SetSupportCaseActiveUntil']} text={supportWords.until} isHidden={isHidden}>
        {(onClose) => (
          <FormDialog
            title={supportWords.until}
            description={supportWords.untilText}
            service="support"
            method="SetSupportCaseActiveUntil"
            fixed={{ case_id }}
            inputs={{ active_until: UntilSelect }}
            onClose={onClose}
          />
        )}
      </DialogButton>
      <DialogButton needs={['support', 'CloseSupportCase']} text={supportWords.closeCase} isHidden={isHidden}>
        {(onClose) => (
          <Confirm
            title={supportWords.closeCase}
            consequences={supportWords.closeText}
            name={subject}
            actionText={supportWords.closeCase}
            onConfirm={() => close.mutateAsync({ case_id })}
            done={supportWords.closed}
            onClose={onClose}
          />
        )}
      </DialogButton>
    </SpaceBetween>
  );
};

const assumptionColumns: readonly Column<ResponseOf<'support', 'ListSupportRoleAssumptions'>['assumptions'][number]>[] = [
  timeColumn('time', supportWords.time, ({ event_time: at }) => at),
  textColumn('principal', supportWords.principal, ({ assuming_principal: who }) => who),
  textColumn('session', supportWords.session, ({ role_session_name: name }) => name),
  textColumn('role', supportWords.role, ({ role_assumed: role }) => role),
  textColumn('address', supportWords.address, ({ source_ip_address: address }) => address),
];

const Assumptions = ({ caseId }: { readonly caseId: string }) => {
  const query = useAdminQuery('support', 'ListSupportRoleAssumptions', { case_id: caseId });
  return (
    <SpaceBetween size="s">
      {query.data?.live_lookup_complete === false && <Alert type="info">{supportWords.incomplete}</Alert>}
      <List
        name="role-assumptions"
        variant="part"
        title={supportWords.assumptions}
        idOf={({ event_id: id }) => id}
        empty={supportWords.noAssumptions}
        source={listSource(query, (response) => response.assumptions)}
        columns={assumptionColumns}
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
    <Page
      title={supportCase.subject}
      description={supportCase.description && <PlainText text={supportCase.description} />}
      actions={<Actions supportCase={supportCase} />}
    >
      {isOpen && (
        <Alert type={state === 'active' ? 'warning' : 'info'}>
          {sentence} {nextStep}
        </Alert>
      )}
      <Details
        title={supportWords.details}
        details={[
          { label: supportWords.columns.status, value: <StateLabel kind="supportCase" state={state} /> },
          { label: supportWords.columns.tiers, value: tierNames(supportCase) },
          {
            label: supportWords.activeUntil,
            value: (
              <>
                <DetailedTime at={until} />
                {isOpen && (
                  <>
                    {' '}
                    · <Countdown until={until} />
                  </>
                )}
              </>
            ),
          },
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
