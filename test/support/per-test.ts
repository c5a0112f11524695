/**
 * A fixture that each test gets anew: created before each test of the file, or of the group that calls this. The
 * returned object gives access to the fixture of the running test, and cannot be read outside of a test.
 * @param create must not read variables that other hooks set, except those of earlier calls.
 */
export const perTest = <Fixture extends object>(create: () => Fixture | Promise<Fixture>): Fixture => {
  let current: Fixture;
  beforeEach(async () => {
    current = await create();
  });
  return new Proxy({} as Fixture, {
    get: (_, name) => Reflect.get(current, name) as unknown,
    set: (_, name, value) => Reflect.set(current, name, value),
    ownKeys: () => Reflect.ownKeys(current),
    getOwnPropertyDescriptor: (_, name) => ({ ...Reflect.getOwnPropertyDescriptor(current, name), configurable: true }),
  });
};
