import type { CustomResourceEvent } from '../../../../core/runtime/custom-resource.ts';
import { activate } from '../../../../lambdas/deploy-hooks/receipt-rule-set/activate.ts';

/** An account of SES with one active rule set or none. */
const account = (active: string | undefined) => {
  const state = { active };
  const send = async (command: { readonly input: { readonly RuleSetName?: string } }) => {
    if (command.constructor.name === 'SetActiveReceiptRuleSetCommand') state.active = command.input.RuleSetName;
    return state.active === undefined ? {} : { Metadata: { Name: state.active } };
  };
  return { state, action: activate({ send } as never) };
};
const event = (RequestType: CustomResourceEvent['RequestType'], more: Partial<CustomResourceEvent> = {}): CustomResourceEvent => ({
  RequestType, RequestId: 'r', StackId: 's', LogicalResourceId: 'l', ResponseURL: 'https://answer.example', ResourceProperties: { ruleSetName: 'Postrider' }, ...more,
});

describe('the active receipt rule set', () => {
  test.each(['Create', 'Update'] as const)('%s makes ours active where there is none', async (type) => {
    const { state, action } = account(undefined);
    expect(await action(event(type))).toEqual({ physicalId: 'active:Postrider' });
    expect(state.active).toBe('Postrider');
  });

  test('ours stays, however often it is asked for', async () => {
    const { state, action } = account('Postrider');
    await action(event('Create'));
    await action(event('Update'));
    expect(state.active).toBe('Postrider');
  });

  test('somebody else’s is not replaced, and the words say what to do', async () => {
    const { state, action } = account('legacy-rules');
    await expect(action(event('Create'))).rejects.toThrow(/by the SES receipt rule set legacy-rules; deactivate it \(aws ses set-active-receipt-rule-set/);
    expect(state.active).toBe('legacy-rules');
  });

  test('ours under its old name is replaced by the new one', async () => {
    const { state, action } = account('Old');
    await action(event('Update', { OldResourceProperties: { ruleSetName: 'Old' } }));
    expect(state.active).toBe('Postrider');
  });

  test('Delete takes ours out', async () => {
    const { state, action } = account('Postrider');
    await action(event('Delete', { PhysicalResourceId: 'active:Postrider' }));
    expect(state.active).toBeUndefined();
  });

  test('Delete leaves somebody else’s', async () => {
    const { state, action } = account('legacy-rules');
    await action(event('Delete', { PhysicalResourceId: 'active:Postrider' }));
    expect(state.active).toBe('legacy-rules');
  });
});
