/** The operations of administrators and of the local workspace on the database of the service. */
export {
  assign,
  assignProjects,
  countUnassigned,
  listAssignments,
  type NamedAssignment,
  unassign,
} from './assignments.js'
export * from './catalog/clients.js'
export * from './catalog/expense-types.js'
export * from './catalog/projects.js'
export * from './catalog/tasks.js'
export { countClosedTimers, ensureCompany, getCompany as companyOf, updateCompany } from './company.js'
export {
  activateUser,
  addUser,
  deactivateUser,
  getUser,
  issueToken,
  listUsers,
  revokeUser,
  type User,
  unlinkUser,
} from './users.js'
