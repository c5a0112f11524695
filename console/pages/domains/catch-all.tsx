import { SpaceBetween } from '@cloudscape-design/components';
import { useAdminMutation, useAdminQuery, type ResponseOf } from '../../api/admin-api.tsx';
import { Confirm } from '../../parts/forms/confirm.tsx';
import { DialogButton, FormDialog } from '../../parts/forms/form-dialog.tsx';
import { Details } from '../../parts/text/details.tsx';
import { QueryView } from '../../parts/view/page.tsx';
import { catchAllWords } from '../../words/pages/groups.ts';
import { MemberLink } from '../groups/member-link.tsx';
import type { Domain } from './domain-records.ts';

type CatchAll = ResponseOf<'aliases', 'ListCatchAlls'>['catch_alls'][number];

const Fate = ({ found }: { readonly found: CatchAll | undefined }) => {
  if (!found) return catchAllWords.none;
  const { kind, receiver_id: id, name, email } = found;
  if (email === undefined) return catchAllWords.gone;
  return (
    <>
      {catchAllWords.goesTo} <MemberLink kind={kind} id={id} text={name ?? email} />
    </>
  );
};

/** Who gets the mail for addresses of a domain that do not exist, and the buttons that change it. */
export const DomainCatchAll = ({ domain: { id: domain_id, domain } }: { readonly domain: Domain }) => {
  const query = useAdminQuery('aliases', 'ListCatchAlls', { domain_id });
  const remove = useAdminMutation('aliases', 'DeleteCatchAll');
  return (
    <QueryView query={query}>
      {({ catch_alls: [found] }) => {
        return (
          <Details
            title={catchAllWords.title}
            actions={
              <SpaceBetween direction="horizontal" size="xs">
                <DialogButton needs={['aliases', 'PutCatchAll']} text={found ? catchAllWords.change : catchAllWords.set}>
                  {(onClose) => (
                    <FormDialog
                      title={catchAllWords.set}
                      description={catchAllWords.text}
                      service="aliases"
                      method="PutCatchAll"
                      fixed={{ domain_id }}
                      submitText={catchAllWords.set}
                      done={() => ({ title: catchAllWords.saved(domain) })}
                      onClose={onClose}
                    />
                  )}
                </DialogButton>
                <DialogButton needs={['aliases', 'DeleteCatchAll']} text={catchAllWords.end} isHidden={!found}>
                  {(onClose) => (
                    <Confirm
                      title={catchAllWords.endTitle}
                      consequences={catchAllWords.endText}
                      actionText={catchAllWords.endTitle}
                      onConfirm={() => remove.mutateAsync({ domain_id })}
                      done={catchAllWords.ended(domain)}
                      onClose={onClose}
                    />
                  )}
                </DialogButton>
              </SpaceBetween>
            }
            details={[
              { label: catchAllWords.label, value: <Fate found={found} /> },
              ...(found?.email === undefined ? [] : [{ label: catchAllWords.meaning, value: catchAllWords.text }]),
            ]}
          />
        );
      }}
    </QueryView>
  );
};
